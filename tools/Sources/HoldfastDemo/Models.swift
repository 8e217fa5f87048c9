import Foundation
import RealmSwift

/// A version of a Debian package.
final class Package: Object {
  /// Name, version and architecture.
  @Persisted(primaryKey: true) var identifier: String
  @Persisted(indexed: true) var name: String
  @Persisted var version: String
  @Persisted var architecture: String
  @Persisted var section: Section?
  @Persisted var summary: String
  /// Bytes to download.
  @Persisted var size: Int
  /// KiB once installed.
  @Persisted var installedSize: Int
  @Persisted var dependencies: List<Package>
  @Persisted(originProperty: "dependencies") var dependents: LinkingObjects<Package>
  /// What the editor gives.
  @Persisted var stars: Int
}

/// A section of the archive.
final class Section: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(originProperty: "section") var packages: LinkingObjects<Package>
}

/// What the editor writes about a package, and deletes again.
final class Note: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var text: String
  @Persisted var package: Package?
}

/// How far the import is; changed in the same transaction as what it counts.
final class ImportState: Object {
  @Persisted(primaryKey: true) var identifier: Int
  /// Paragraphs of the index whose packages are stored.
  @Persisted var paragraphsStored: Int
  /// Paragraphs whose links are stored.
  @Persisted var paragraphsLinked: Int
  @Persisted var commits: Int
}

/// Changed in every transaction of a writer, so that others can tell which one they see.
final class Pulse: Object {
  @Persisted(primaryKey: true) var writer: String
  @Persisted var number: Int
}

enum Store {
  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: path),
      objectTypes: [Package.self, Section.self, Note.self, ImportState.self, Pulse.self])
  }

  /// Counts a transaction of `writer`; returns its number.
  static func beat(_ writer: String, in realm: Realm) -> Int {
    let pulse =
      realm.object(ofType: Pulse.self, forPrimaryKey: writer)
      ?? realm.create(Pulse.self, value: ["writer": writer])
    pulse.number += 1
    return pulse.number
  }
}

import Foundation
import RealmSwift

/// A configuration whose file lies in a directory of its own, which goes with this object.
final class TemporaryRealm: Sendable {
  let directory: URL
  let configuration: Realm.Configuration

  init(
    _ types: [ObjectBase.Type]? = TemporaryRealm.types,
    _ durability: Realm.Configuration.Durability = .relaxed, key: Data? = nil
  ) {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-\(UUID().uuidString)", isDirectory: true)
    try! FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var configuration = Self.configuration(
      path: directory.appendingPathComponent("test.realm").path, types)
    configuration.durability = durability
    configuration.encryptionKey = key
    self.configuration = configuration
  }

  static let types: [ObjectBase.Type] = [Keeper.self, Animal.self, Everything.self]

  /// A configuration for a file that another process may have made.
  static func configuration(
    path: String, _ types: [ObjectBase.Type]? = TemporaryRealm.types
  ) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: types)
    configuration.durability = .relaxed
    return configuration
  }

  var path: String { configuration.fileURL!.path }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func open() throws -> Realm { try Realm(configuration: configuration) }
}

import Foundation
import RealmSwift

/// A configuration whose file lies in a directory of its own, which goes with this object.
final class TemporaryRealm: Sendable {
  let directory: URL
  let configuration: Realm.Configuration

  init(_ types: [ObjectBase.Type]? = [Keeper.self, Animal.self, Everything.self]) {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-\(UUID().uuidString)", isDirectory: true)
    try! FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var configuration = Realm.Configuration(
      fileURL: directory.appendingPathComponent("test.realm"), objectTypes: types)
    configuration.durability = .relaxed
    self.configuration = configuration
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func open() throws -> Realm { try Realm(configuration: configuration) }
}

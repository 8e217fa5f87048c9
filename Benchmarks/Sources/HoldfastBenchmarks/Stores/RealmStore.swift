import Foundation
import RealmSwift

/// Holdfast through its public API: live objects in a realm, as a user's program has them. `full`
/// where commits are flushed, else `relaxed`.
final class RealmStore: ReopenedStore {
  static let name = HoldfastStore.name

  private let file: URL
  let realm: Realm
  private var reader: Realm?

  convenience init(folder: URL, flushing: Flushing) throws {
    try self.init(folder: folder, flushing: flushing, types: [Person.self])
  }

  init(
    folder: URL, flushing: Flushing = .none, types: [ObjectBase.Type] = [Person.self],
    key: Data? = nil
  ) throws {
    file = Self.file(in: folder)
    var configuration = Self.configuration(file, flushing, types: types)
    configuration.encryptionKey = key
    realm = try Realm(configuration: configuration)
  }

  static func file(in folder: URL) -> URL { folder.appending(path: "objects.realm") }

  static func configuration(
    _ file: URL, _ flushing: Flushing, types: [ObjectBase.Type] = [Person.self]
  ) -> Realm.Configuration {
    var configuration = Realm.Configuration(fileURL: file, objectTypes: types)
    configuration.durability = flushing == .everyCommit ? .full : .relaxed
    return configuration
  }

  func insert(_ identifiers: Range<Int>) throws {
    try realm.write {
      for identifier in identifiers { realm.add(Person(Record(identifier))) }
    }
  }

  func insertOneByOne(_ identifiers: Range<Int>) throws {
    for identifier in identifiers {
      try realm.write { realm.add(Person(Record(identifier))) }
    }
  }

  func update(_ identifiers: [Int]) throws {
    for identifier in identifiers {
      try realm.write {
        let person = try Self.person(identifier, realm)
        person.age = (person.age + 1) % 100
      }
    }
  }

  static func person(_ identifier: Int, _ realm: Realm) throws -> Person {
    guard let person = realm.object(ofType: Person.self, forPrimaryKey: identifier)
    else { throw StoreError("object \(identifier) is missing") }
    return person
  }

  func pinAndUnpin(times: Int) throws {
    for _ in 0..<times { use(realm.freeze()) }
  }

  func pin() throws { reader = realm.freeze() }

  func readAge(of identifier: Int, times: Int) throws -> Int {
    let person = try Self.person(identifier, realm)
    var sum = 0
    for _ in 0..<times { sum &+= person.age }
    return sum
  }

  func count(age: Int) throws -> Int {
    realm.objects(Person.self).where { $0.age == age }.count
  }

  func sizeBytes() throws -> Int { try Self.size(of: [file]) }

  // MARK: Opening

  static func files(in folder: URL) -> [URL] { [file(in: folder)] }

  static func openAndRead(_ identifier: Int, in folder: URL) throws -> Int {
    let realm = try Realm(configuration: configuration(file(in: folder), .none))
    return try person(identifier, realm).age
  }
}

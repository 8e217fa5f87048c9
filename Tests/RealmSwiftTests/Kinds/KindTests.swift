import Foundation
import RealmSwift
import Testing

/// Every type of property, and everything that is done with one: generated, so that no pair of
/// them is left out.
@Suite struct KindTests {
  private static let kinds: [any KindValue.Type] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Bool.self, Float.self, Double.self,
    Decimal128.self, String.self, Data.self, Date.self, ObjectId.self, UUID.self, KindWord.self,
    KindNumber.self, KindMetres.self, KindName.self,
  ]

  @Test(arguments: kinds.indices)
  func `every operation works with every type`(_ index: Int) async {
    func run<Value: KindValue>(_: Value.Type) async -> Int { await KindBench<Value>.run() }
    let count = await run(Self.kinds[index])
    print("\(Self.kinds[index]): \(count) operations")
    #expect(count >= 20)
  }

  @Test func `every type is read in another process`() async throws {
    func file<Value: KindValue>(_: Value.Type) -> TemporaryRealm {
      TemporaryRealm([KindBox<Value>.self])
    }
    let files = Self.kinds.map { file($0) }
    await #expect(processExitsWith: .success) { [paths = files.map(\.path) as [String]] in
      for (path, kind) in zip(paths, KindTests.kinds) { try KindTests.fill(kind, path) }
    }
    for (file, kind) in zip(files, Self.kinds) { try Self.check(kind, file) }
  }

  private static func fill<Value: KindValue>(_: Value.Type, _ path: String) throws {
    let configuration = TemporaryRealm.configuration(path: path, [KindBox<Value>.self])
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for (id, value) in Value.samples.enumerated() { realm.add(KindBox(id, value)) }
    }
  }

  private static func check<Value: KindValue>(_: Value.Type, _ file: TemporaryRealm) throws {
    #expect(KindBench<Value>(file: file).isWhole(try file.open()), "\(Value.self)")
  }
}

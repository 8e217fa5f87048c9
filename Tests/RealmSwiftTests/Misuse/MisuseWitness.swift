import Foundation
import ObjectStore
import Testing

@testable import RealmSwift

/// A process that has the file open before, while and after another one goes wrong with it.
struct MisuseWitness: ~Copyable {
  /// The subject of letters in transactions that must not come to anything.
  static let uncommitted = "never committed"

  private let file = TemporaryRealm(MisuseScene.types)
  private let thread = LoopThread(name: "witness")
  private let realm = Box<Realm?>(nil)

  var path: String { file.path }

  /// Fills the file: a reader with two volumes, a keeper with an animal, an errand.
  init() {
    thread.performAndWait { [file, realm] in
      let opened = try! file.open()
      realm.value = opened
      try! opened.write {
        let reader = Reader(name: "Ada")
        reader.books.append(objectsIn: [
          Volume(value: ["First", 10]), Volume(value: ["Second", 20]),
        ])
        opened.add(reader)
        let keeper = Keeper(value: ["id": 1, "name": "Kim"])
        keeper.animals.append(Animal("Rex"))
        opened.add(keeper)
        opened.create(Errand.self, value: ["name": "Shopping", "owner": "Ada", "status": "open"])
      }
    }
  }

  deinit {
    thread.performAndWait { [realm] in realm.value = nil }
    thread.join()
  }

  /// Writes, reads, and checks every node and object of the file.
  func checkFileIsUsable() {
    thread.performAndWait { [realm] in
      let realm = realm.value!
      #expect(throws: Never.self) {
        try realm.write { realm.add(Volume(value: ["title": "Third", "pages": 30])) }
        let report = try realm.instance.shared.database.verify()
        #expect(report.findings.isEmpty)
      }
      #expect(realm.objects(Volume.self).sorted(by: \.pages).map(\.title) == Self.titles)
      #expect(realm.objects(Letter.self).where { $0.subject == Self.uncommitted }.isEmpty)
      #expect(realm.instance.snapshot!.storeFindings().isEmpty)
    }
  }

  private static let titles = ["First", "Second", "Third"]
}

import Dispatch
import Foundation
import RealmSwift
import Testing

@Suite struct SlowReaderTests {
  @Test func anOldReaderIsEndedAndGoesOnWithTheNewestVersion() throws {
    let file = TemporaryRealm()
    var configuration = file.configuration
    let ended = DispatchSemaphore(value: 0)
    configuration.maximumReaderAge = 0.05
    configuration.slowReaderHandler = { if $0.isEnded { ended.signal() } }
    let realm = try Realm(configuration: configuration)
    realm.autorefresh = false
    let animal = Animal("Rex")
    try realm.write { realm.add(animal) }
    let written = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [configuration] in
      let other = try! Realm(configuration: configuration)
      try! other.write { other.add(Animal("Pip")) }
      written.signal()
    }
    #expect(written.wait(timeout: .now() + 30) == .success)
    #expect(ended.wait(timeout: .now() + 30) == .success)
    // What was read is right still; the next query reads the newest version.
    #expect(animal.name == "Rex")
    #expect(realm.objects(Animal.self).count == 2)
  }
}

import Foundation
import RealmSwift
import Testing

/// Observers hear of a write that begins right after they were added as of a change.
@Suite struct WriteAfterObserveTests {
  let observatory = Observatory()

  @Test func theInitialStateIsDeliveredWhenTheWriteBegins() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell($0.text) }
      try realm.write { realm.add(Animal("Tom")) }
      observatory.tell("written")
    }
    #expect(await observatory.next() == "initial")
    #expect(await observatory.next() == "written")
    #expect(await observatory.next() == "[] [0] []")
    observatory.run { _ in box.token = nil }
  }

  @Test func itIsWhatTheWriteBeginsWith() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { change in
        if case .initial(let animals) = change { observatory.tell("initial \(animals.count)") }
        if case .update(_, _, let insertions, _) = change { observatory.tell("\(insertions)") }
      }
      observatory.writeElsewhere { $0.add(Animal("Spike")) }
      #expect(realm.objects(Animal.self).isEmpty)
      realm.beginWrite()
      #expect(realm.objects(Animal.self).count == 1)
      realm.add(Animal("Tom"))
      try realm.commitWrite()
    }
    #expect(await observatory.next() == "initial 1")
    #expect(await observatory.next() == "[1]")
    observatory.run { _ in box.token = nil }
  }

  @Test func asynchronousAndSilentWritesDeliverItToo() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell("a" + $0.text) }
      try realm.write(withoutNotifying: [box.token!]) { realm.add(Animal("Tom")) }
    }
    #expect(await observatory.next() == "ainitial")
    observatory.run { [observatory] realm in
      box.token = realm.objects(Animal.self).observe { observatory.tell("b" + $0.text) }
      realm.writeAsync {
        realm.add(Animal("Spike"))
      } onComplete: { _ in
        observatory.tell("complete")
      }
    }
    var events: [String?] = []
    for _ in 0..<3 { events.append(await observatory.next()) }
    #expect(events.firstIndex(of: "binitial") == 0)
    #expect(Set(events) == ["binitial", "b[] [1] []", "complete"])
    observatory.run { _ in box.token = nil }
  }

  @Test func aHandlerMayWriteItself() async {
    let (first, second) = (RealmBox(), RealmBox())
    observatory.run { [observatory] realm in
      first.token = realm.objects(Animal.self).observe { change in
        observatory.tell("1 " + change.text)
        if case .initial = change { try! realm.write { realm.add(Animal("of the handler")) } }
      }
      second.token = realm.objects(Animal.self).observe { observatory.tell("2 " + $0.text) }
      try realm.write { realm.add(Animal("Tom")) }
      #expect(realm.objects(Animal.self).map(\.name) == ["of the handler", "Tom"])
    }
    #expect(await observatory.next() == "1 initial")
    #expect(await observatory.next() == "2 initial")
    #expect(await observatory.next() == "1 [] [0, 1] []")
    #expect(await observatory.next() == "2 [] [1] []")
    observatory.run { _ in (first.token, second.token) = (nil, nil) }
  }
}

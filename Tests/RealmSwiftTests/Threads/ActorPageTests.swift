import Foundation
import RealmSwift
import Testing

// What the reference's page on actors (the fourth) shows, block by block: the same calls in the
// same order, with other models and data. Block 3 needs a server; the fifth page has no code.

private actor ErrandActor {
  var realm: Realm!

  init(_ file: TemporaryRealm) async throws {
    realm = try await Realm(configuration: file.configuration, actor: self)
  }

  var count: Int { realm.objects(Errand.self).count }

  func create(name: String, owner: String, status: String) async throws {
    try await realm.asyncWrite {
      realm.create(
        Errand.self,
        value: ["_id": ObjectId.generate(), "name": name, "owner": owner, "status": status])
    }
  }

  func owner(of name: String) -> String {
    let errand = realm.objects(Errand.self).where { $0.name == name }.first!
    return errand.owner
  }

  struct ErrandValue {
    var id: ObjectId
    var name, owner, status: String
  }

  func value(of name: String) -> ErrandValue {
    let errand = realm.objects(Errand.self).where { $0.name == name }.first!
    return ErrandValue(
      id: errand._id, name: errand.name, owner: errand.owner, status: errand.status)
  }

  func update(_id: ObjectId, name: String, owner: String, status: String) async throws {
    try await realm.asyncWrite {
      realm.create(
        Errand.self, value: ["_id": _id, "name": name, "owner": owner, "status": status],
        update: .modified)
    }
  }

  func delete(id: ObjectId) async throws {
    try await realm.asyncWrite {
      let errand = realm.object(ofType: Errand.self, forPrimaryKey: id)
      realm.delete(errand!)
    }
  }

  func close() { realm = nil }
}

@globalActor private actor Workshop: GlobalActor {
  static let shared = Workshop()
}

private actor Background {
  let file: TemporaryRealm
  init(_ file: TemporaryRealm) { self.file = file }

  func delete(_ reference: ThreadSafeReference<Errand>) throws {
    let realm = try! Realm(configuration: file.configuration)
    try realm.write {
      let errand = realm.resolve(reference)
      realm.delete(errand!)
    }
  }
}

@Suite struct ActorPageTests {
  let file = TemporaryRealm.forThreads()

  @MainActor private func use(_ realm: Realm) async throws -> Int {
    try await realm.asyncWrite { _ = realm.create(Errand.self, value: ["name": "bread"]) }
    return realm.objects(Errand.self).count
  }

  @Test @MainActor func block1TheMainActorIsTheDefault() async throws {
    let realm1 = try await Realm(configuration: file.configuration)
    let realm2 = try await Realm(configuration: file.configuration, actor: MainActor.shared)
    #expect(realm1 == realm2)
    #expect(try await use(realm1) == 1)
  }

  @Test @MainActor func block2AConfigurationOfOnesOwn() async throws {
    let username = "ada"
    var configuration = file.configuration
    configuration.fileURL!.deleteLastPathComponent()
    configuration.fileURL!.appendPathComponent(username)
    configuration.fileURL!.appendPathExtension("realm")
    let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
    #expect(try await use(realm) == 1)
    #expect(realm.configuration.fileURL!.lastPathComponent == "ada.realm")
  }

  @Test func block4AnActorAroundARealm() async throws {
    let actor = try await ErrandActor(file)
    try await actor.create(name: "bread", owner: "Ada", status: "open")
    #expect(await actor.count == 1)
    #expect(await actor.owner(of: "bread") == "Ada")
    let value = await actor.value(of: "bread")
    try await actor.update(_id: value.id, name: "bread", owner: "Grace", status: "done")
    #expect(await actor.value(of: "bread").owner == "Grace")
    try await actor.delete(id: value.id)
    #expect(await actor.count == 0)
    await actor.close()
  }

  @Workshop private func workInBackground() async throws -> Int {
    let realm = try await Realm(configuration: file.configuration, actor: Workshop.shared)
    try await realm.asyncWrite {
      _ = realm.create(
        Errand.self, value: ["name": "paint the door", "owner": "Ada", "status": "open"])
    }
    return realm.objects(Errand.self).count
  }

  @Test @MainActor func block5AGlobalActor() async throws {
    #expect(try await workInBackground() == 1)
  }

  private func createInside(_ actor: isolated ErrandActor) async throws -> Int {
    try actor.realm.write {
      actor.realm.create(
        Errand.self, value: ["name": "water the plants", "owner": "Ada", "status": "open"])
    }
    return actor.count
  }

  @Test func block6AnIsolatedParameter() async throws {
    let actor = try await ErrandActor(file)
    #expect(try await createInside(actor) == 1)
  }

  @Test func block7And8And9AwaitingTheActor() async throws {
    let actor = try await ErrandActor(file)
    func createOutside() async throws -> Int {
      try await actor.create(name: "post the letter", owner: "Ada", status: "open")
      return await actor.count
    }
    #expect(try await createOutside() == 1)
  }

  @Test @MainActor func block10And11AReferenceCrosses() async throws {
    let realm = try await Realm(configuration: file.configuration)
    try await realm.asyncWrite { _ = realm.create(Errand.self, value: ["name": "bread"]) }
    let errands = realm.objects(Errand.self)
    let background = Background(file)
    let errand = errands.where { $0.name == "bread" }.first!
    let reference = ThreadSafeReference(to: errand)
    try await background.delete(reference)
    await realm.asyncRefresh()
    #expect(errand.isInvalidated)
    #expect(errands.count == 0)
  }

  @Test @MainActor func block12ValuesCross() async throws {
    let actor = try await ErrandActor(file)
    try await actor.create(name: "bread", owner: "Ada", status: "open")
    let owner = await actor.owner(of: "bread")
    #expect(owner == "Ada")
  }

  @Test @MainActor func block13APrimaryKeyCrosses() async throws {
    let file = file
    func create(in actor: isolated Background) async throws -> ObjectId {
      let realm = try await Realm(configuration: file.configuration, actor: actor)
      let errand = try await realm.asyncWrite {
        return realm.create(Errand.self, value: ["name": "bread", "owner": "Ada"])
      }
      return errand._id
    }
    let actor = Background(file)
    let id = try await create(in: actor)
    let realm = try await Realm(configuration: file.configuration)
    let errand = realm.object(ofType: Errand.self, forPrimaryKey: id)
    #expect(errand?.owner == "Ada")
  }

  @Test @MainActor func block14And15AStructCrosses() async throws {
    let actor = try await ErrandActor(file)
    try await actor.create(name: "bread", owner: "Ada", status: "open")
    let value = await actor.value(of: "bread")
    #expect(value.owner == "Ada" && value.status == "open")
  }

  @Test @MainActor func block16ObservingACollectionOnAnotherActor() async throws {
    let background = Background(file)
    let realm = try await Realm(configuration: file.configuration)
    try await realm.asyncWrite {
      realm.create(Errand.self, value: ["_id": ObjectId.generate(), "name": "bread"])
    }
    let errands = realm.objects(Errand.self)
    let (events, teller) = AsyncStream.makeStream(of: String.self)
    let token = await errands.observe(
      on: background,
      { actor, changes in
        actor.preconditionIsolated()
        switch changes {
        case .initial(let errands):
          teller.yield("initial \(errands.count)")
        case .update(_, let deletions, let insertions, let modifications):
          teller.yield("\(deletions) \(insertions) \(modifications)")
        case .error(let error):
          teller.yield("error \(error)")
        }
      })
    var told = events.makeAsyncIterator()
    #expect(await told.next() == "initial 1")
    let errand = errands.where { $0.name == "bread" }.first!
    let reference = ThreadSafeReference(to: errand)
    try await background.delete(reference)
    #expect(await told.next() == "[0] [] []")
    token.invalidate()
  }

  @Test @MainActor func block17ObservingAnObjectOnAnotherActor() async throws {
    let background = Background(file)
    let realm = try await Realm(configuration: file.configuration)
    let errand = try await realm.asyncWrite {
      return realm.create(
        Errand.self, value: ["_id": ObjectId.generate(), "name": "bread", "status": "open"])
    }
    let (events, teller) = AsyncStream.makeStream(of: String.self)
    let token = await errand.observe(
      on: background,
      { actor, change in
        actor.preconditionIsolated()
        switch change {
        case .change(let object, let properties):
          for property in properties {
            teller.yield("\(property.name) of \(object.name) is \(property.newValue!)")
          }
        case .error(let error): teller.yield("error \(error)")
        case .deleted: teller.yield("deleted")
        }
      })
    var told = events.makeAsyncIterator()
    try await realm.asyncWrite { errand.status = "done" }
    #expect(await told.next() == "status of bread is done")
    try await realm.asyncWrite { realm.delete(errand) }
    #expect(await told.next() == "deleted")
    token.invalidate()
  }
}

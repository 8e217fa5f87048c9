import Dispatch
import Foundation
import RealmSwift
import Testing

// What the reference's threading pages (the first and third, whose blocks are the same) show, block
// by block: the same calls in the same order, with other models and data.

extension Realm {
  /// A helper as users write it over `ThreadSafeReference`.
  func writeAsync<T: ThreadConfined>(
    _ passed: T, errorHandler: @escaping @Sendable (_ error: any Swift.Error) -> Void = { _ in },
    block: @escaping @Sendable (Realm, T?) -> Void
  ) {
    let reference = ThreadSafeReference(to: passed)
    let configuration = self.configuration
    DispatchQueue(label: "helper", autoreleaseFrequency: .workItem).async {
      do {
        let realm = try Realm(configuration: configuration)
        try realm.write {
          let object = realm.resolve(reference)
          block(realm, object)
        }
      } catch {
        errorHandler(error)
      }
    }
  }
}

@Suite struct ThreadingPageTests {
  let file = TemporaryRealm.forThreads()

  @Test @MainActor func block1WriteAsyncUsesLiveObjects() async throws {
    let realm = try file.open()
    try realm.write { realm.add(Reader(name: "Ada")) }
    let readers = realm.objects(Reader.self)
    let thisReader = readers.where { $0.name == "Ada" }.first
    await withCheckedContinuation { done in
      realm.writeAsync {
        thisReader?.books.append(objectsIn: [
          Volume(value: ["title": "Emma", "pages": 474]),
          Volume(value: ["title": "Solaris", "pages": 204]),
          Volume(value: ["title": "Dune", "pages": 412]),
        ])
      } onComplete: { _ in
        #expect(thisReader!.books.count == 3)
        let books = realm.objects(Volume.self)
        let found = books.where { $0.title == "Emma" }
        #expect(found.count == 1)
        done.resume()
      }
    }
  }

  @Test func block2ARealmOnASerialQueue() async {
    let serialQueue = DispatchQueue(label: "one after the other")
    let file = file
    await withCheckedContinuation { done in
      serialQueue.async {
        let realm = try! Realm(configuration: file.configuration, queue: serialQueue)
        try! realm.write { realm.add(Reader(name: "Ada")) }
        #expect(realm.objects(Reader.self).count == 1)
        done.resume()
      }
    }
  }

  @Test @MainActor func block3AThreadSafeVariable() async throws {
    let realm = try file.open()
    let reader = Reader(name: "Ada")
    try realm.write { realm.add(reader) }
    @ThreadSafe var readerReference = reader
    #expect(readerReference?.name ?? "unknown" == "Ada")
    let file = file
    // The variable is captured whole, as the compiler does it in Swift 5 mode.
    let wrapper = _readerReference
    await withCheckedContinuation { done in
      DispatchQueue(label: "background", autoreleaseFrequency: .workItem).async {
        let realm = try! file.open()
        try! realm.write {
          guard let reader = wrapper.wrappedValue else { return }
          reader.name = "Ada Lovelace"
        }
        done.resume()
      }
    }
    realm.refresh()
    #expect(reader.name == "Ada Lovelace")
    try realm.write { realm.delete(reader) }
    #expect(readerReference == nil)
  }

  @Test func block4AThreadSafeParameter() async throws {
    let file = file
    @Sendable func findNewName() async -> String { "Grace" }
    @MainActor func rename(@ThreadSafe reader: Reader?) async throws {
      let newName = await findNewName()
      let realm = try await Realm(configuration: file.configuration)
      try realm.write { reader?.name = newName }
    }
    @MainActor func createAndRename() async throws {
      let realm = try await Realm(configuration: file.configuration)
      let reader = Reader(name: "Ada")
      try realm.write { realm.add(reader) }
      try await rename(reader: reader)
      #expect(reader.name == "Grace")
    }
    try await createAndRename()
  }

  @Test @MainActor func block5AThreadSafeReference() async throws {
    let reader = Reader(name: "Ada")
    let realm = try file.open()
    try realm.write { realm.add(reader) }
    let reference = ThreadSafeReference(to: reader)
    let file = file
    await withCheckedContinuation { done in
      DispatchQueue(label: "background", autoreleaseFrequency: .workItem).async {
        let realm = try! file.open()
        try! realm.write {
          guard let reader = realm.resolve(reference) else { return }
          reader.name = "Ada Lovelace"
        }
        done.resume()
      }
    }
    realm.refresh()
    #expect(reader.name == "Ada Lovelace")
    #expect(reference.isInvalidated)
  }

  @Test @MainActor func block6And7AHelperOfOnesOwn() async throws {
    let realm = try file.open()
    try realm.write {
      realm.add(Letter(value: ["subject": "rent", "isAnswered": true]))
      realm.add(Letter(value: ["subject": "party", "isAnswered": false]))
    }
    let answered = realm.objects(Letter.self).where { $0.isAnswered == true }
    await withCheckedContinuation { done in
      realm.writeAsync(answered) { (realm, answered) in
        guard let answered = answered else { return }
        realm.delete(answered)
        done.resume()
      }
    }
    // The write ends after the block; the next one waits for it.
    try realm.write {}
    #expect(realm.objects(Letter.self).map(\.subject) == ["party"])
  }

  @Test func block8RefreshingByHand() throws {
    let realm = try file.open()
    realm.autorefresh = false
    file.writeElsewhere { $0.add(Reader(name: "Ada")) }
    if !realm.autorefresh {
      realm.refresh()
    }
    #expect(realm.objects(Reader.self).count == 1)
  }

  @Test func block9And10Freezing() throws {
    let realm = try file.open()
    try realm.write { realm.add(Reader(name: "Ada")) }
    let frozenRealm = realm.freeze()
    #expect(frozenRealm.isFrozen)
    let readers = realm.objects(Reader.self)
    let frozenReaders = readers.freeze()
    #expect(frozenReaders.isFrozen)
    let frozenReaders2 = frozenRealm.objects(Reader.self)
    #expect(frozenReaders2.isFrozen)
    let reader = readers.first!
    #expect(!reader.realm!.isFrozen)
    let frozenReader = reader.freeze()
    #expect(frozenReader.isFrozen)
    #expect(frozenReader.realm!.isFrozen)
    nonisolated(unsafe) let shared = frozenRealm
    let isFrozen = LoopThread().performAndWait {
      if unsafe shared.isFrozen { return true }
      return false
    }
    #expect(isFrozen)
  }

  @Test func block11Thawing() throws {
    let realm = try file.open()
    try realm.write { realm.add(Reader(name: "Ada")) }
    let frozenRealm = realm.freeze()
    let frozenReaders = frozenRealm.objects(Reader.self)
    #expect(frozenReaders.isFrozen)
    let frozenReader = frozenReaders.first!
    let thawedReader = frozenReader.thaw()
    #expect(thawedReader?.isInvalidated == false)
    #expect(thawedReader!.realm!.isFrozen == false)
    let thawedRealm = thawedReader!.realm!
    try thawedRealm.write { thawedReader!.name = "Grace" }
    #expect(thawedReader!.name == "Grace")
    #expect(frozenReader.name == "Ada")
  }

  @Test func block12AppendingWhatWasThawed() throws {
    let live = try file.open()
    try live.write {
      live.add(Reader(name: "Ada"))
      live.add(Volume(value: ["title": "Emma"]))
    }
    let frozenRealm = live.freeze()
    let frozenReader = frozenRealm.objects(Reader.self).where { $0.name == "Ada" }.first!
    let frozenBook = frozenRealm.objects(Volume.self).where { $0.title == "Emma" }.first!
    #expect(frozenReader.isFrozen == true)
    #expect(frozenBook.isFrozen == true)
    let thawedReader = frozenReader.thaw()
    let thawedBook = frozenBook.thaw()
    let realm = try file.open()
    try realm.write { thawedReader?.books.append(thawedBook!) }
    #expect(thawedReader?.books.first?.title == "Emma")
  }
}

// The second page, on write transactions.
@Suite struct TransactionPageTests {
  @Test func block1ATransactionIsCommittedOrItsErrorCaught() throws {
    let file = TemporaryRealm.forThreads()
    let realm = try file.open()
    do {
      try realm.write { realm.add(Reader(name: "Ada")) }
    } catch let error as NSError {
      Issue.record(error)
    }
    #expect(realm.objects(Reader.self).count == 1)
    do {
      try realm.write {
        realm.deleteAll()
        throw Realm.Error(.fail)
      }
      Issue.record("the block's error was swallowed")
    } catch let error as NSError {
      #expect(error.code == Realm.Error.Code.fail.rawValue)
    }
    #expect(realm.objects(Reader.self).count == 1)
  }
}

import Dispatch
import Foundation
import RealmSwift
import Testing

private actor Library {
  let file: TemporaryRealm
  private(set) var realm: Realm!
  private var token: NotificationToken?

  init(_ file: TemporaryRealm) async throws {
    self.file = file
    realm = try await Realm(configuration: file.configuration, actor: self)
  }

  var count: Int { realm.objects(Reader.self).count }
  var names: [String] { realm.objects(Reader.self).map(\.name) }

  func add(_ name: String) async throws {
    try await realm.asyncWrite { realm.add(Reader(name: name)) }
  }

  func addAndThrow() async throws {
    try await realm.asyncWrite {
      realm.add(Reader(name: "lost"))
      throw Realm.Error(.fail)
    }
  }

  /// Invalidates while a write waits for its turn; says whether that has happened after it.
  func invalidatesAfterWriting(
    fails: Bool, invalidated: AsyncStream<Void>.Continuation
  ) async -> Bool {
    let reader = realm.objects(Reader.self)[0]
    let write = Task { fails ? try await addAndThrow() : try await add("Grace") }
    while !realm.isPerformingAsynchronousWriteOperations { await Task.yield() }
    realm.invalidate()
    let isEarly = reader.isInvalidated
    invalidated.finish()
    _ = await write.result
    return reader.isInvalidated && !isEarly
  }

  func refresh() async -> Bool { await realm.asyncRefresh() }

  func compareByWorker() { realm.turnObjectsMax = 0 }

  /// The block does not hold the actor, which would hold its token and so itself.
  func observe() { token = realm.objects(Reader.self).observe { _ in } }

  func thawedName(_ reader: Box<Reader>) -> Bool { reader.value.thaw()?.realm == realm }

  func frozenReader() -> Box<Reader> { Box(realm.objects(Reader.self)[0].freeze()) }

  func rename(_ reader: ThreadSafe<Reader>) throws {
    try realm.write { reader.wrappedValue?.name = "renamed" }
  }

  func waitForChange(_ count: Int) async -> [String] {
    var texts: [String] = []
    for await change in realm.objects(Reader.self).changes {
      texts.append(change.text)
      if texts.count == count { break }
    }
    return texts
  }

  func names(ofFirst count: Int, started: AsyncStream<Void>.Continuation) async -> [String] {
    var texts: [String] = []
    let changes = realm.objects(Reader.self)[0].changes
    var iterator = changes.makeAsyncIterator()
    started.finish()
    while let change = await iterator.next(isolation: self) {
      switch change {
      case .change(let reader, _): texts.append(reader.name)
      case .deleted: texts.append("deleted")
      case .error(let error): texts.append("\(error)")
      }
    }
    return texts
  }
}

@Suite struct ActorRealmTests {
  let file = TemporaryRealm.forThreads()

  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func anActorsRefreshStaysWhereItIsForWantOfRoom(isComparedByAWorker: Bool) async throws {
    let file = TemporaryRealm.forThreads(.full)
    let disk = FailingDisk()
    RealmSystem.use(disk, forFileAt: file.path)
    let library = try await Library(file)
    if isComparedByAWorker { await library.compareByWorker() }
    await library.observe()
    let shortage = try PinShortage(of: file, on: disk)
    shortage.commit { $0.add(Reader(name: "Ada")) }
    #expect(await !library.refresh())
    #expect(await library.count == 0)
    shortage.end()
    // It may have moved by itself by now.
    _ = await library.refresh()
    #expect(await library.names == ["Ada"])
  }

  @Test func realmsOfOneActorAreOne() async throws {
    let library = try await Library(file)
    func isSame(_ library: isolated Library) async throws -> Bool {
      let again = try await Realm(configuration: library.file.configuration, actor: library)
      let opened = try await Realm.open(configuration: library.file.configuration)
      return again == library.realm && opened == library.realm
    }
    #expect(try await isSame(library))
  }

  @Test func writesOfManyTasksAllHappen() async throws {
    let library = try await Library(file)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<40 { group.addTask { try await library.add("\(index)") } }
      try await group.waitForAll()
    }
    #expect(await library.count == 40)
  }

  @Test func actorsWriteTheSameFile() async throws {
    let libraries = try await [Library(file), Library(file), Library(file)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<30 {
        group.addTask { try await libraries[index % 3].add("\(index)") }
      }
      try await group.waitForAll()
    }
    for library in libraries {
      _ = await library.refresh()
      #expect(await library.count == 30)
    }
  }

  @Test func aBlockThatThrowsLeavesNothing() async throws {
    let library = try await Library(file)
    await #expect(throws: Realm.Error.self) { try await library.addAndThrow() }
    #expect(await library.count == 0)
    try await library.add("Ada")
    #expect(await library.names == ["Ada"])
  }

  @Test func aTaskThatIsCancelledBeforeItsTurnLeavesNothing() async throws {
    let library = try await Library(file)
    let writer = WriterHolder(file)
    let task = Task { try await library.add("never") }
    let after = Task { try await library.add("later") }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    writer.end()
    try await after.value
    #expect(await library.names == ["later"])
  }

  @Test(arguments: [Realm.Configuration.Durability.relaxed, .full], [false, true])
  func invalidatingTakesEffectAfterTheLastWrite(
    durability: Realm.Configuration.Durability, fails: Bool
  ) async throws {
    let library = try await Library(.forThreads(durability))
    try await library.add("Ada")
    let writer = WriterHolder(library.file)
    let (stream, invalidated) = AsyncStream<Void>.makeStream()
    let isRight = Task {
      await library.invalidatesAfterWriting(fails: fails, invalidated: invalidated)
    }
    for await _ in stream {}
    writer.end()
    #expect(await isRight.value)
  }

  @Test func asyncRefreshMovesToTheNewestVersion() async throws {
    let library = try await Library(file)
    file.writeElsewhere { $0.add(Reader(name: "Ada")) }
    // By itself or by this, whichever is first.
    _ = await library.refresh()
    #expect(await library.count == 1)
    #expect(await !library.refresh())
  }

  @Test func thawingOnAnActorGivesItsOwnObject() async throws {
    let library = try await Library(file)
    try await library.add("Ada")
    let frozen = await library.frozenReader()
    #expect(await library.thawedName(frozen))
  }

  @Test @MainActor func threadSafeReferencesBelongToTheActorThatReadsThem() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let reader = Reader(name: "Ada")
    try realm.write { realm.add(reader) }
    let library = try await Library(file)
    @ThreadSafe var reference = reader
    try await library.rename(_reference)
    realm.refresh()
    #expect(reader.name == "renamed")
  }

  @Test func changesComeAsASequence() async throws {
    let library = try await Library(file)
    let told = Task { await library.waitForChange(3) }
    try await library.add("Ada")
    for name in ["Grace", "Joan", "Edith", "Mary"] {
      if await library.count > 4 { break }
      try await library.add(name)
    }
    // However many commits share a change, the loop ends when it has seen three.
    let task = Task {
      var index = 0
      while !Task.isCancelled {
        index += 1
        try await library.add("more \(index)")
      }
    }
    let texts = await told.value
    task.cancel()
    _ = await task.result
    #expect(texts[0] == "initial")
    #expect(texts.dropFirst().allSatisfy { $0.hasPrefix("[] [") && $0.hasSuffix("] []") })
  }

  @Test func theSequenceOfAnObjectEndsWithIt() async throws {
    let library = try await Library(file)
    try await library.add("Ada")
    let (started, starter) = AsyncStream.makeStream(of: Void.self)
    let told = Task { await library.names(ofFirst: 1, started: starter) }
    for await _ in started {}
    file.writeElsewhere { $0.deleteAll() }
    #expect(await told.value == ["deleted"])
  }

  @Test func aSequenceEndsWithItsTask() async throws {
    let library = try await Library(file)
    let told = Task { await library.waitForChange(.max) }
    told.cancel()
    #expect(await told.value.count <= 1)
  }

  @Test(.timeLimit(.minutes(5)))
  func anActorThatIsGoneLetsGoOfItsRealm() async throws {
    func useLibrary() async throws {
      let library = try await Library(file)
      await library.observe()
      try await library.add("Ada")
    }
    try await useLibrary()
    // Observers hold their realm until they are taken out, which happens in the background.
    while true {
      do {
        #expect(try Realm.deleteFiles(for: file.configuration))
        break
      } catch let error as Realm.Error where error.code == .alreadyOpen {
        await Task.yield()
      }
    }
  }

  /// Runs as long as the tests do: news of commits reach actors on it until they are gone.
  private static let home = LoopThread(name: "home")

  @Test func anActorOnALoopThread() async throws {
    let resident = Resident(Self.home.loop)
    #expect(try await resident.write(file) == 1)
  }

  @Test(.timeLimit(.minutes(5)))
  func `an actor whose loop is closed is still told, and ends its writes`() async throws {
    let home = LoopThread(name: "closes")
    let resident = Resident(home.loop)
    #expect(try await resident.write(file) == 1)
    let holder = LoopThread(name: "holder")
    let held = Box<Realm?>(nil)
    holder.performAndWait { [file] in
      held.value = try! file.open()
      held.value!.beginWrite()
    }
    let count = try await resident.observe()
    let waiting = Task { [file] in try await resident.write(file) }
    home.join()
    holder.performAndWait {
      held.value!.add(Reader(name: "Grace"))
      try! held.value!.commitWrite()
      held.value = nil
    }
    #expect(try await waiting.value == 3)
    for await told in count where told == 3 { break }
    holder.join()
  }
}

private actor Resident {
  let loop: UVLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  private var realm: Realm?
  private var token: NotificationToken?

  init(_ loop: UVLoop) { self.loop = loop }

  func write(_ file: TemporaryRealm) async throws -> Int {
    let realm = try await Realm(configuration: file.configuration, actor: self)
    try await realm.asyncWrite { realm.add(Reader(name: "Ada")) }
    self.realm = realm
    return realm.objects(Reader.self).count
  }

  /// How many readers there are, again and again.
  func observe() async throws -> AsyncStream<Int> {
    let (counts, tell) = AsyncStream.makeStream(of: Int.self)
    token = realm!.objects(Reader.self).observe { change in
      if case .update(let readers, _, _, _) = change { tell.yield(readers.count) }
    }
    return counts
  }
}

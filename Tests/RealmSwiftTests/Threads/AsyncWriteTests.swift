import Dispatch
import Foundation
import RealmSwift
import Testing

@Suite struct AsyncWriteTests {
  let file = TemporaryRealm.forThreads(.full)
  let thread = LoopThread(name: "async writes")

  /// Runs the body on the loop thread and waits until it calls what it is given.
  func run(_ body: @escaping @Sendable (Realm, @escaping () -> Void) -> Void) async {
    await withCheckedContinuation { done in
      thread.perform { [file] in body(try! file.open()) { done.resume() } }
    }
  }

  @Test func aBlockRunsLaterOnTheRealmsThreadAndIsCommitted() async {
    await run { realm, done in
      let order = Box<[String]>([])
      realm.writeAsync {
        #expect(realm.isInWriteTransaction)
        order.value.append("block")
        realm.add(Reader(name: "Ada"))
      } onComplete: { error in
        #expect(error == nil)
        #expect(order.value == ["caller", "block"])
        #expect(!realm.isPerformingAsynchronousWriteOperations)
        #expect(realm.objects(Reader.self).count == 1)
        done()
      }
      order.value.append("caller")
      #expect(realm.isPerformingAsynchronousWriteOperations)
      #expect(!realm.isInWriteTransaction)
    }
  }

  @Test func writesKeepTheirOrder() async {
    await run { realm, done in
      for index in 0..<50 {
        realm.writeAsync {
          realm.add(Volume(value: ["pages": index]))
        } onComplete: { _ in
          #expect(realm.objects(Volume.self).last?.pages ?? -1 >= index)
          if index == 49 { done() }
        }
      }
    }
    await run { realm, done in
      #expect(realm.objects(Volume.self).map(\.pages) == Array(0..<50))
      done()
    }
  }

  @Test func aBlockMayCommitOrCancelItself() async {
    await run { realm, done in
      let told = Box<[String]>([])
      realm.writeAsync {
        realm.add(Reader(name: "committed"))
        realm.commitAsyncWrite { _ in told.value.append("commit") }
        #expect(!realm.isInWriteTransaction)
      } onComplete: { _ in
        told.value.append("write")
      }
      let id = Box<AsyncTransactionId>(0)
      id.value = realm.writeAsync {
        realm.add(Reader(name: "cancelled"))
        try! realm.cancelAsyncWrite(id.value)
        #expect(!realm.isInWriteTransaction)
      } onComplete: { _ in
        told.value.append("cancelled")
      }
      realm.writeAsync {
        realm.add(Reader(name: "undone"))
        realm.cancelWrite()
      } onComplete: { error in
        #expect(error == nil)
        #expect(realm.objects(Reader.self).map(\.name) == ["committed"])
        #expect(told.value == ["commit", "write"])
        done()
      }
    }
  }

  @Test func aBegunWriteThatDoesNotCommitIsCancelled() async {
    await run { realm, done in
      realm.beginAsyncWrite { realm.add(Reader(name: "forgotten")) }
      realm.beginAsyncWrite {
        #expect(realm.objects(Reader.self).isEmpty)
        realm.add(Reader(name: "Ada"))
        realm.commitAsyncWrite { error in
          #expect(error == nil)
          done()
        }
        #expect(realm.objects(Reader.self).count == 1, "visible at once")
      }
    }
  }

  @Test func whatWaitsCanBeCalledOff() async {
    await run { realm, done in
      let id = realm.beginAsyncWrite { Issue.record("was called off") }
      let second = realm.writeAsync {
        Issue.record("was called off")
      } onComplete: { _ in
        Issue.record("was called off")
      }
      try! realm.cancelAsyncWrite(id)
      try! realm.cancelAsyncWrite(second)
      #expect(!realm.isPerformingAsynchronousWriteOperations)
      realm.beginWrite()
      realm.add(Reader(name: "Ada"))
      let commit = realm.commitAsyncWrite { _ in Issue.record("was called off") }
      try! realm.cancelAsyncWrite(commit)
      #expect(realm.objects(Reader.self).count == 1, "the commit itself stays")
      realm.writeAsync({}, onComplete: { _ in done() })
    }
  }

  @Test func synchronousWritesPassThoseThatWait() async {
    await run { realm, done in
      realm.writeAsync {
        #expect(realm.objects(Reader.self).map(\.name) == ["first"])
        realm.add(Reader(name: "second"))
      } onComplete: { _ in
        #expect(realm.objects(Reader.self).map(\.name) == ["first", "second"])
        done()
      }
      try! realm.write { realm.add(Reader(name: "first")) }
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func writesThatNobodyClaimsDoNotBlockOthers() async {
    // The thread holds a turn to write that it cannot take, because it waits for others to write.
    await run { [file] realm, done in
      realm.writeAsync {
        #expect(realm.objects(Reader.self).count == 1)
      } onComplete: { _ in
        done()
      }
      file.writeElsewhere { $0.add(Reader(name: "other")) }
    }
  }

  @Test func invalidatingWaitsForWritesThatAreOnTheirWay() async {
    await run { realm, done in
      let reader = Reader(name: "Ada")
      try! realm.write { realm.add(reader) }
      realm.writeAsync {
        reader.name = "Grace"
      } onComplete: { error in
        #expect(error == nil)
        #expect(reader.isInvalidated)
        #expect(realm.objects(Reader.self).first?.name == "Grace")
        done()
      }
      realm.invalidate()
      #expect(!reader.isInvalidated)
    }
  }

  @Test func aRealmStaysOpenUntilItsWritesAreDone() async throws {
    await withCheckedContinuation { done in
      thread.perform { [file] in
        try! file.open().writeAsync {
          // The realm is found again, by nothing but its configuration.
          try! file.open().add(Reader(name: "Ada"))
        } onComplete: { _ in
          done.resume()
        }
      }
    }
    let reopened = DispatchQueue(label: "later").sync { [file] in
      try! file.open().objects(Reader.self).count
    }
    #expect(reopened == 1)
  }

  @Test func groupedCommitsKeepTheirOrder() async {
    await run { realm, done in
      let told = Box<[Int]>([])
      for index in 0..<200 {
        realm.beginAsyncWrite {
          realm.add(Volume(value: ["pages": index]))
          realm.commitAsyncWrite(allowGrouping: true) { error in
            #expect(error == nil)
            told.value.append(index)
            if index == 199 {
              #expect(told.value == Array(0..<200))
              done()
            }
          }
        }
      }
    }
  }

  @Test func queuesWriteAsynchronouslyToo() async {
    let queue = DispatchQueue(label: "writes")
    await withCheckedContinuation { done in
      queue.async { [file] in
        let realm = try! Realm(configuration: file.configuration, queue: queue)
        realm.writeAsync {
          realm.add(Reader(name: "Ada"))
        } onComplete: { error in
          dispatchPrecondition(condition: .onQueue(queue))
          #expect(error == nil && realm.objects(Reader.self).count == 1)
          done.resume()
        }
      }
    }
  }

  @Test func aCommitThatIsRefusedReachesTheCompletion() async {
    var configuration = file.configuration
    configuration.maximumNumberOfActiveVersions = 2
    let limited = configuration
    await withCheckedContinuation { done in
      thread.perform {
        let realm = try! Realm(configuration: limited)
        var frozen = [realm.freeze()]
        for _ in 0..<2 {
          try? realm.write { realm.add(Reader(name: "Ada")) }
          frozen.append(realm.freeze())
        }
        let held = frozen
        realm.writeAsync {
          realm.add(Reader(name: "one too many"))
        } onComplete: { error in
          #expect((error as? Realm.Error)?.code == .fail)
          #expect(realm.objects(Reader.self).where { $0.name == "one too many" }.isEmpty)
          _ = held
          done.resume()
        }
      }
    }
  }
}

@Suite struct AsyncWriteMisuseTests {
  private func output(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func writingAsynchronouslyWhereNothingCanBeCalled() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      DispatchQueue(label: "plain").sync { _ = try! TemporaryRealm().open().writeAsync {} }
    }
    #expect(output(result).contains("Can't schedule async transaction."))
  }

  @Test func writingAFrozenRealmAsynchronously() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let file = TemporaryRealm()
      LoopThread().performAndWait { _ = try! file.open().freeze().beginAsyncWrite {} }
    }
    #expect(output(result).contains("Can't perform transactions on a frozen Realm"))
  }

  @Test func committingWhatWasNotBegun() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let file = TemporaryRealm()
      LoopThread().performAndWait { _ = try! file.open().commitAsyncWrite() }
    }
    #expect(output(result).contains("Can't commit a non-existing write transaction"))
  }

  @Test func writingAsynchronouslyFromAnotherThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let file = TemporaryRealm()
      let thread = LoopThread()
      let box = Box<Realm?>(nil)
      thread.performAndWait { box.value = try! file.open() }
      box.value!.writeAsync {}
    }
    #expect(output(result).contains("Realm accessed from incorrect thread."))
  }

  @Test func usingAnActorsRealmOutsideOfTheActor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let keeper = RealmKeeper()
      let box = try await keeper.openRealm(TemporaryRealm.forThreads())
      _ = box.value.objects(Reader.self).count
    }
    #expect(output(result).contains("Realm accessed from incorrect thread."))
  }

  @Test func asyncWriteOnAThreadsRealm() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try await RealmKeeper().writeThreadConfined(TemporaryRealm.forThreads())
    }
    #expect(output(result).contains("can only be called on main thread or actor-isolated Realms"))
  }

  @Test func observingOnAnActorWithinATransaction() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try await RealmKeeper().observeInTransaction(TemporaryRealm.forThreads())
    }
    #expect(
      output(result).contains("Cannot register notification blocks from within write transactions"))
  }
}

/// Lets things out that should stay in.
actor RealmKeeper {
  func openRealm(_ file: TemporaryRealm) async throws -> Box<Realm> {
    Box(try await Realm(configuration: file.configuration, actor: self))
  }

  private func openHere(_ file: TemporaryRealm) throws -> Realm { try file.open() }

  func writeThreadConfined(_ file: TemporaryRealm) async throws {
    try await openHere(file).asyncWrite {}
  }

  func observeInTransaction(_ file: TemporaryRealm) async throws {
    let realm = try await Realm(configuration: file.configuration, actor: self)
    realm.beginWrite()
    _ = await realm.objects(Reader.self).observe(on: MainActor.shared) { _, _ in }
  }
}

import Foundation
import Platform
import RealmSwift

/// What a program with a user interface does on its loop: writes asynchronously all the time, as
/// the thread's realm and from an actor that lives on the loop, and observes what it shows. Loop's
/// thread only, but for its actor.
final class Interface {
  private let loop: UVLoop
  private let path: String
  private let end: UInt64
  private let whenDone: () -> Void
  private let probe: LoopProbe
  private var realm: Realm!
  private var tokens: [NotificationToken] = []
  private var writes = 0
  private var changes = 0
  private var underWay = 0
  private let actor: InterfaceActor
  private let actorWrites = Shared(0)

  private static let chainCount = 3

  init(_ loop: UVLoop, _ path: String, end: UInt64, whenDone: @escaping () -> Void) {
    self.loop = loop
    self.path = path
    self.end = end
    self.whenDone = whenDone
    probe = LoopProbe(loop)
    actor = InterfaceActor(loop)
  }

  private var isOver: Bool { MonotonicClock.now() >= end }

  func start() {
    realm = try! Realm(configuration: LabRealm.configuration(path, .full))
    tokens.append(
      realm.objects(LabStep.self).observe { [unowned self] change in told("steps", change) })
    tokens.append(
      realm.objects(LabLoad.self).observe { [unowned self] change in told("loads", change) })
    underWay = Self.chainCount + 1
    probe.start()
    for chain in 0..<Self.chainCount { write(chain) }
    startActor()
  }

  private func told<C: RealmCollection>(_ what: String, _ change: RealmCollectionChange<C>) {
    switch change {
    case .update(_, let deletions, let insertions, let modifications):
      changes += 1
      probe.note("\(what): -\(deletions.count) +\(insertions.count) ~\(modifications.count)")
    default: break
    }
  }

  private func write(_ chain: Int) {
    if isOver { return leave() }
    realm.writeAsync { [unowned self] in
      probe.note("a block begins")
      realm.create(
        LabStep.self, value: ["number": chain, "text": "step \(writes)"], update: .modified)
      probe.note("a block ends")
    } onComplete: { [unowned self] error in
      probe.note("a write is durable")
      precondition(error == nil, "\(error!)")
      writes += 1
      write(chain)
    }
    probe.note("a write is asked for")
  }

  private func startActor() {
    let actor = actor
    let path = path
    let interface = Shared(self)
    Task.detached {
      await actor.run(path) {
        interface.value.probe.note($0)
        return !interface.value.isOver
      } whenDone: { count in
        interface.value.actorWrites.value = count
        interface.value.leave()
      }
    }
  }

  private func leave() {
    underWay -= 1
    if underWay == 0 { whenDone() }
  }

  func finish() -> LoopOutcome {
    probe.stop()
    tokens = []
    return LoopOutcome(
      pauses: probe.pauses, ownSpans: probe.ownSpans, runDelays: probe.runDelays,
      longest: probe.longest, turns: probe.turns, writes: writes,
      actorWrites: actorWrites.value, changes: changes)
  }
}

/// An actor on the interface's loop.
actor InterfaceActor {
  private let loop: UVLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ loop: UVLoop) { self.loop = loop }

  /// - Parameter note: takes what happens, and says whether to go on. Called on the loop.
  func run(
    _ path: String, _ note: @Sendable (String) -> Bool, whenDone: @Sendable (Int) -> Void
  ) async {
    var count = 0
    do {
      let realm = try await Realm(
        configuration: LabRealm.configuration(path, .full), actor: self)
      while note("the actor asks for a write") {
        try await realm.asyncWrite {
          _ = note("the actor's block begins")
          realm.create(
            LabStep.self, value: ["number": 100, "text": "\(count)"], update: .modified)
          _ = note("the actor's block ends")
        }
        count += 1
      }
    } catch {
      preconditionFailure("\(error)")
    }
    whenDone(count)
  }
}

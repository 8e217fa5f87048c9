import Dispatch
import EngineLab
import RealmSwift
import TestSupport

/// An actor that the runtime's own threads serve.
actor Teller {
  func run(
    _ configuration: Realm.Configuration, _ log: BankLog, _ random: SeededGenerator,
    _ queue: DispatchQueue
  ) async {
    await work(self, configuration, log, random, queue)
  }
}

/// An actor that lives on a loop.
actor LoopTeller {
  private let loop: UVLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  init(_ loop: UVLoop) { self.loop = loop }

  func run(
    _ configuration: Realm.Configuration, _ log: BankLog, _ random: SeededGenerator,
    _ queue: DispatchQueue
  ) async {
    await work(self, configuration, log, random, queue)
  }
}

private func work(
  _ actor: isolated any Actor, _ configuration: Realm.Configuration, _ log: BankLog,
  _ generator: SeededGenerator, _ queue: DispatchQueue
) async {
  var random = generator
  do {
    let bank = Bank(realm: try await Realm.open(configuration: configuration), log: log)
    let token = bank.accounts.observe { change in
      if case .update(let accounts, _, _, _) = change { bank.check(accounts, "in a notification") }
    }
    // However late the runtime lets it begin, it does its part once.
    repeat {
      bank.check("on an actor")
      try await bank.realm.asyncWrite {
        bank.check("in an asynchronous write of an actor")
        bank.transfer(&random)
      }
      await bank.realm.asyncRefresh()
      if random.below(8) == 0 { bank.handOver(&random, to: queue) }
    } while !log.isOver
    token.invalidate()
  } catch {
    log.find("\(error)")
  }
}

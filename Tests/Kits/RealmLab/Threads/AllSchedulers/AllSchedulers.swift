import EngineLab
import Foundation
import Platform
import RealmSwift
import TestSupport

/// Eight threads, four serial queues and four actors, two of them on loops, on one file: they read,
/// write in every way there is, freeze, hand over references and observe. The sum of all balances
/// is the same wherever somebody looks.
public final class AllSchedulers: Sendable {
  private let seed: UInt64
  private let isEncrypted: Bool
  private let directory = TemporaryDirectory()
  private let log: BankLog
  private let loops = (0..<2).map { LoopThread(name: "home \($0)") }
  private let queues = (0..<4).map { DispatchQueue(label: "bank \($0)") }

  public init(seconds: Int, seed: UInt64, isEncrypted: Bool) {
    self.seed = seed
    self.isEncrypted = isEncrypted
    log = BankLog(seconds: seconds)
    print("all-schedulers: \(seconds) s, seed \(seed)\(isEncrypted ? ", encrypted" : "")")
  }

  public func run() throws -> ScenarioReport {
    let path = directory.file("bank.realm")
    var configuration = LabRealm.configuration(path, .relaxed)
    if isEncrypted { configuration.encryptionKey = LabRealm.key }
    let realm = try Bank.found(configuration)
    configuration.durability = .grouped
    for index in 0..<8 { try startThread(index, configuration) }
    for index in 0..<4 { startQueue(index, configuration) }
    for index in 0..<4 { startActor(index, configuration) }
    let seconds = Int((log.end - min(log.end, MonotonicClock.now())) / 1_000_000_000)
    within(seconds + 120, "sixteen that use one file") { log.waitForErrands() }
    for loop in loops { loop.join() }
    realm.refresh()
    Bank(realm: realm, log: log).check("at the end")
    return report()
  }

  private func report() -> ScenarioReport {
    var report = ScenarioReport()
    let counts = log.counts
    report.lines = counts.sorted { $0.key < $1.key }.map { "  \($0.value) \($0.key)" }
    report.findings = log.findings
    for what in Self.required where counts[what] == nil {
      report.findings.append("nobody was \(what)")
    }
    return report
  }

  private static let required = [
    "on a thread", "on a queue", "on an actor", "in a frozen view", "in a notification",
    "in an asynchronous write", "in an asynchronous write of an actor", "at the end",
  ]

  private func generator(_ number: Int) -> SeededGenerator {
    SeededGenerator(seed: seed &* 1000 &+ UInt64(number))
  }

  // MARK: The sixteen

  private func startThread(_ index: Int, _ configuration: Realm.Configuration) throws {
    log.beginErrand()
    try BackgroundThread.start(name: "bank-\(index)") { [self] in
      var random = generator(index)
      let bank = Bank(realm: try! Realm(configuration: configuration), log: log)
      while !log.isOver {
        bank.realm.refresh()
        bank.check("on a thread")
        try! bank.realm.write { bank.transfer(&random) }
        if random.below(8) == 0 { bank.handOver(&random, to: queues[random.below(4)]) }
      }
      log.endErrand()
    }
  }

  private func startQueue(_ index: Int, _ configuration: Realm.Configuration) {
    log.beginErrand()
    queues[index].async { [self] in
      let realm = try! Realm(configuration: configuration, queue: queues[index])
      let bank = Bank(realm: realm, log: log)
      let token = bank.accounts.observe { change in
        if case .update(let accounts, _, _, _) = change {
          bank.check(accounts, "in a notification")
        }
      }
      goOn(QueueClient(bank, token, generator(100 + index)))
    }
  }

  private func goOn(_ client: QueueClient) {
    client.bank.check("on a queue")
    client.bank.realm.writeAsync {
      client.bank.check("in an asynchronous write")
      client.bank.transfer(&client.random)
    } onComplete: { [self] error in
      if let error { log.find("\(error)") }
      if !log.isOver { return goOn(client) }
      client.token.invalidate()
      log.endErrand()
    }
  }

  private func startActor(_ index: Int, _ configuration: Realm.Configuration) {
    log.beginErrand()
    let (log, random) = (log, generator(200 + index))
    let loop = index < loops.count ? loops[index].loop : nil
    let queue = queues[index]
    Task.detached {
      if let loop {
        await LoopTeller(loop).run(configuration, log, random, queue)
      } else {
        await Teller().run(configuration, log, random, queue)
      }
      log.endErrand()
    }
  }
}

/// What goes from one turn of a queue to the next.
private final class QueueClient {
  let bank: Bank
  let token: NotificationToken
  var random: SeededGenerator

  init(_ bank: Bank, _ token: NotificationToken, _ random: SeededGenerator) {
    self.bank = bank
    self.token = token
    self.random = random
  }
}

import EngineLab
import Foundation
import RealmSwift
import TestSupport

/// Accounts whose balances always have the same sum, and what everybody does with them. Each call
/// is for where the realm lives.
struct Bank {
  static let accountCount = 32
  static let sum = 32_000

  let realm: Realm
  let log: BankLog

  static func found(_ configuration: Realm.Configuration) throws -> Realm {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for number in 0..<accountCount {
        realm.create(
          LabAccount.self, value: ["number": number, "balance": sum / accountCount])
      }
    }
    return realm
  }

  var accounts: Results<LabAccount> { realm.objects(LabAccount.self) }

  /// Within a write transaction.
  func transfer(_ random: inout SeededGenerator) {
    let amount = random.below(50)
    let (from, to) = (random.below(Self.accountCount), random.below(Self.accountCount))
    realm.object(ofType: LabAccount.self, forPrimaryKey: from)!.balance -= amount
    realm.object(ofType: LabAccount.self, forPrimaryKey: to)!.balance += amount
  }

  func check(_ where: String) { check(accounts, `where`) }

  func check(_ accounts: Results<LabAccount>, _ place: String) {
    let found = accounts.reduce(0) { $0 + $1.balance }
    if found != Self.sum { log.find("a sum of \(found) \(place)") }
    log.count(place)
  }

  /// Sends a frozen view to another thread, and a reference to an account to be changed there.
  func handOver(_ random: inout SeededGenerator, to queue: DispatchQueue) {
    // Frozen, so that it may be read there.
    let frozen = Shared(accounts.freeze())
    let account = realm.object(
      ofType: LabAccount.self, forPrimaryKey: random.below(Self.accountCount))!
    let reference = ThreadSafeReference(to: account)
    let (configuration, log) = (realm.configuration, log)
    log.beginErrand()
    queue.async {
      let there = Bank(realm: try! Realm(configuration: configuration, queue: queue), log: log)
      there.check(frozen.value, "in a frozen view")
      try! there.realm.write {
        guard let account = there.realm.resolve(reference) else {
          return log.find("a reference came to nothing")
        }
        account.balance += 1
        there.realm.object(
          ofType: LabAccount.self, forPrimaryKey: (account.number + 1) % Self.accountCount)!
          .balance -= 1
      }
      log.endErrand()
    }
  }
}

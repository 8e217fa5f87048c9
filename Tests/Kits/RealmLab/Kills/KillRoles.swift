import EngineLab
import Foundation
import Platform
import RealmSwift
import TestSupport

/// Writes one note after the other until it is killed, and says in shared memory what it attempts
/// and what was acknowledged.
struct NoteWriter {
  private let scene: EncryptedKills.Scene
  private let position: Int
  private var random: SeededGenerator
  private static let durabilities: [Realm.Configuration.Durability] = [
    .full, .strict, .grouped, .relaxed,
  ]

  init(_ words: Words) throws {
    scene = try EncryptedKills.Scene(path: words.text(1))
    position = words.number(2)
    random = SeededGenerator(seed: UInt64(words.number(3)))
  }

  mutating func run() -> Never {
    do {
      let durability = Self.durabilities[random.below(Self.durabilities.count)]
      let realm = try Realm(configuration: scene.configuration(durability))
      say("open")
      while true { try turn(realm) }
    } catch {
      scene.findings.add("\(error)")
      // Stays, so that its end is the parent's doing.
      while true { BackgroundThread.pause(nanoseconds: 1_000_000_000) }
    }
  }

  private mutating func turn(_ realm: Realm) throws {
    let acknowledged = scene.progress.acknowledged(upTo: EncryptedKills.writers)
    realm.beginWrite()
    scene.progress.recordAcquisition(position)
    for writer in 0..<EncryptedKills.writers {
      let stored = UInt64(KillNotes.count(realm, writer))
      let attempted = scene.progress.attempted(writer)
      guard acknowledged[writer] <= stored, stored <= attempted else {
        scene.findings.add("\(acknowledged[writer]) <= \(stored) <= \(attempted) is not so")
        break
      }
    }
    if random.below(16) == 0, let fault = KillNotes.fault(realm) { scene.findings.add(fault) }
    KillNotes.append(realm, position)
    if random.below(16) == 0 { return realm.cancelWrite() }
    let count = UInt64(KillNotes.count(realm, position))
    scene.progress.setAttempted(position, count)
    try realm.commitWrite()
    scene.progress.setAcknowledged(position, count)
  }
}

/// Looks at each version that a loop tells it of, and at older ones that it keeps for a while.
final class NoteReader {
  private let scene: EncryptedKills.Scene
  private var random: SeededGenerator
  private var frozen: [Realm] = []
  private static let frozenMax = 3

  init(_ words: Words) throws {
    scene = try EncryptedKills.Scene(path: words.text(1))
    random = SeededGenerator(seed: UInt64(words.number(3)))
  }

  func run() throws -> Never {
    let loop = UVLoop()
    do {
      let realm = try Realm(configuration: scene.configuration(.full))
      say("open")
      let token = realm.observe { [self] _, realm in look(realm) }
      look(realm)
      withExtendedLifetime(token) { loop.run() }
    } catch {
      scene.findings.add("\(error)")
    }
    while true { BackgroundThread.pause(nanoseconds: 1_000_000_000) }
  }

  private func look(_ realm: Realm) {
    if let fault = KillNotes.fault(realm) { scene.findings.add(fault) }
    if random.below(4) == 0 { frozen.append(realm.freeze()) }
    guard frozen.count > Self.frozenMax else { return }
    let old = frozen.remove(at: random.below(frozen.count))
    if let fault = KillNotes.fault(old) { scene.findings.add("kept: \(fault)") }
  }
}

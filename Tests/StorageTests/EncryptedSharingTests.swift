import EngineLab
import Platform
import TestSupport
import Testing

@testable import Storage

/// Several databases on one encrypted file, each with a shadow of its own, as processes have.
@Suite struct EncryptedSharingTests {
  private let directory = TemporaryDirectory()

  private func open() throws -> Database {
    var options = DatabaseOptions()
    options.encryptionKey = .lab
    options.durability = .relaxed
    options.compactsInBackground = false
    options.mappingReservation = 1 << 17
    return try Database.open(
      path: directory.file("shared.realm"), options: options, system: AnotherProcess())
  }

  /// Space is used again under readers who have decrypted what was there.
  @Test func `a process reads what others have written where it has read before`() throws {
    let model = LeafModel(leafCount: 20, wordsMax: 200, changesMax: 6, seed: 5)
    let databases = try (0..<3).map { _ in try open() }
    var leaves: [Version: [LeafModel.Leaf]] = [1: []]
    var kept: [Snapshot] = []
    for round in 0..<1500 {
      let transaction = try databases[round % 2].beginWrite()
      leaves[transaction.version] = model.next(
        leaves[transaction.baseVersion]!, version: transaction.version)
      try model.apply(to: transaction)
      _ = try transaction.commit()
      if round % 50 == 0 { kept.append(try databases[round / 50 % 3].pinNewest()) }
      if kept.count > 3 { kept.removeFirst() }
      guard round % 3 == 0 else { continue }
      for snapshot in try databases.map({ try $0.pinNewest() }) + kept {
        let difference = try model.mismatch(in: snapshot, leaves: leaves[snapshot.version]!)
        #expect(difference == nil)
      }
    }
    #expect(try databases[2].verify().findings == [])
  }
}

/// The real machine once more: a database of it shares nothing in memory with those of others.
private final class AnotherProcess: ForwardingSystem {
  let real: any System = PosixSystem.shared
}

import Foundation
import RealmSwift

// The classes of the runs with threads, queues, actors and processes.

/// One of the small writes that a loop has under way.
public final class LabStep: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var text: String
}

/// A part of a large transaction.
public final class LabLoad: Object {
  @Persisted var number: Int
  @Persisted var bytes: Data
}

/// What somebody counts.
public final class LabCounter: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var value: Int
}

enum LabRealm {
  static let types: [ObjectBase.Type] = [
    LabStep.self, LabLoad.self, LabCounter.self, LabAccount.self, LabEntry.self,
  ]

  /// What encrypted files of the lab are opened with.
  static let key = Data(0..<64)

  static func configuration(
    _ path: String, _ durability: Realm.Configuration.Durability,
    types: [ObjectBase.Type] = LabRealm.types
  ) -> Realm.Configuration {
    var configuration = Realm.Configuration(fileURL: URL(filePath: path), objectTypes: types)
    configuration.durability = durability
    return configuration
  }
}

/// What is shared by parts of a run that are never in use at the same time, because one thread,
/// queue or actor has them.
final class Shared<Value>: @unchecked Sendable {
  // Sendable: as explained above.
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// One of the accounts whose balances always have the same sum.
public final class LabAccount: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var balance: Int
}

/// One half of a numbered transaction.
public final class LabEntry: Object {
  @Persisted(indexed: true) var transaction: Int
  @Persisted var half: Int
}

import Storage

/// A realm's turn to write that it has and has not used yet, while observers are called.
struct KeptTurn {
  private var transaction: WriteTransaction?

  var isKept: Bool { transaction != nil }

  mutating func keep(_ transaction: WriteTransaction) { self.transaction = transaction }

  mutating func take() -> WriteTransaction? { transaction.take() }

  /// The realm goes.
  func cancel() { transaction?.cancel() }
}

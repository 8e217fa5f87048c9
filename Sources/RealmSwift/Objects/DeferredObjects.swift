/// Objects of a realm that are being made, and lead one to the next.
final class DeferredObjects {
  /// Those that are yet to be filled, and have no rows yet.
  let unfilledObjects = DeferredWork<UnfilledObject>()
  /// Embedded ones that are made by the names of their classes.
  let unfilledRows = DeferredWork<UnfilledRow>()
  /// Those that have their rows.
  let unwritten = DeferredWork<UnwrittenObject>()

  /// What an earlier transaction left that was cut off.
  func beginWrite() {
    unfilledRows.reset()
    unwritten.reset()
  }
}

import Storage

// The end of a loop while asynchronous writes are under way.

extension _RealmInstance {
  /// Whoever waits holds the realm, and would hold it for ever if its loop were closed meanwhile.
  func watchForTheEnd() {
    guard asyncWrites.ending == nil, !asyncWrites.hasEnded else { return }
    asyncWrites.ending = scheduler.whenEnding { [weak self] in self?.endAsyncWrites() }
  }

  /// A write that is asked for after the end is dropped, as the loop drops all that comes then.
  func drop(_ kind: AsyncWrites.Kind) {
    if case .task(let turn) = kind { turn.cancel() }
  }

  /// Lets go of everything that nobody will run or tell. What has not begun fails; commits stay, and
  /// are flushed.
  private func endAsyncWrites() {
    asyncWrites.hasEnded = true
    closeGroup()
    asyncWrites.reservation?.withdraw()?.cancel()
    asyncWrites.reservation = nil
    asyncWrites.completions = [:]
    asyncWrites.unfinishedCount = 0
    asyncWrites.holdCount = 0
    for write in asyncWrites.removeAll() {
      switch write.kind {
      case .task(let turn): turn.cancel()
      case .block(_, _, let onComplete):
        onComplete?(
          RLMError(
            .fail, "The loop of the realm's thread was closed before it was this write's turn.",
            path: shared.path))
      }
    }
    endIfDone()
  }
}

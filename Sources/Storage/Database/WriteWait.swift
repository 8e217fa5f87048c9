import Coordination

/// A place in the line of writers.
public final class WriteWait: Sendable {
  private let wait: WriterWait

  init(wait: WriterWait) { self.wait = wait }

  /// Leaves the line. True: the closure is never called. False: it has been, or is being.
  public func cancel() -> Bool { wait.cancel() }
}

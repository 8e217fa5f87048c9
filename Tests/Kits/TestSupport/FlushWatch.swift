import Dispatch
import Platform
import Synchronization

/// The real machine, whose flushes are counted and can be held up.
public final class FlushWatch: ForwardingSystem {
  public let real: any System = PosixSystem.shared
  private let count = Atomic<Int>(0)
  private let gate = LockedValue<Gate?>(nil)

  /// Where flushes wait.
  private final class Gate: Sendable {
    let arrived = DispatchSemaphore(value: 0)
    let opened = DispatchSemaphore(value: 0)
  }

  public init() {}

  /// How many flushes of files have begun.
  public var flushCount: Int { count.load(ordering: .sequentiallyConsistent) }

  /// From here on a flush does not begin before `letFlushesPass`.
  public func holdFlushes() { gate.withLock { $0 = Gate() } }

  /// Waits until somebody wants to flush.
  public func waitForFlush() { gate.withLock { $0 }?.arrived.wait() }

  public func letFlushesPass() {
    let closed = gate.withLock { gate in
      defer { gate = nil }
      return gate
    }
    closed?.opened.signal()
  }

  fileprivate func flush(_ file: any SystemFile) throws(SystemError) {
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    if let gate = gate.withLock({ $0 }) {
      gate.arrived.signal()
      gate.opened.wait()
      // For the next one who waits there.
      gate.opened.signal()
    }
    try file.synchronize()
  }

  public func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    WatchedFile(real: try real.openFile(path: path, mode: mode), system: self)
  }
}

private final class WatchedFile: ForwardingFile {
  let real: any SystemFile
  private let system: FlushWatch

  init(real: any SystemFile, system: FlushWatch) {
    self.real = real
    self.system = system
  }

  func synchronize() throws(SystemError) { try system.flush(real) }
}

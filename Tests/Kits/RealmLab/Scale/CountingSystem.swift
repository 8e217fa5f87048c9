import Platform
import Synchronization
import TestSupport

/// The real machine, counting what is written to data files.
public final class CountingSystem: ForwardingSystem {
  public let real: any System = PosixSystem.shared
  private let bytes = Atomic<UInt64>(0)
  private let flushes = Atomic<UInt64>(0)

  public init() {}

  public var bytesWritten: UInt64 { bytes.load(ordering: .relaxed) }
  public var flushCount: UInt64 { flushes.load(ordering: .relaxed) }

  public func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    let file = try real.openFile(path: path, mode: mode)
    return path.hasSuffix(".lock") ? file : CountingFile(real: file, system: self)
  }

  fileprivate func count(bytes count: Int) {
    bytes.wrappingAdd(UInt64(count), ordering: .relaxed)
  }

  fileprivate func countFlush() { flushes.wrappingAdd(1, ordering: .relaxed) }
}

private final class CountingFile: ForwardingFile {
  let real: any SystemFile
  private let system: CountingSystem

  init(real: any SystemFile, system: CountingSystem) {
    self.real = real
    self.system = system
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    system.count(bytes: bytes.count)
    try unsafe real.write(bytes, at: offset)
  }

  func synchronize() throws(SystemError) {
    system.countFlush()
    try real.synchronize()
  }
}

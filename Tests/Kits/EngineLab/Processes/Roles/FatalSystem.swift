import Glibc
import Platform
import Synchronization
import TestSupport

/// The real machine, on which this process kills itself at the n-th call from when it is told to:
/// before the call is made, or right after.
final class FatalSystem: ForwardingSystem {
  let real: any System = PosixSystem.shared
  /// Calls left; negative while not armed.
  private let left = Atomic<Int>(-1)
  private let counted = Atomic<Int>(0)
  private let diesBefore: Bool

  init(diesBefore: Bool) { self.diesBefore = diesBefore }

  /// From here on calls count; the one numbered `call`, from 1, is the last.
  func arm(call: Int) {
    counted.store(0, ordering: .relaxed)
    left.store(call, ordering: .sequentiallyConsistent)
  }

  /// Returns how many calls there were since `arm`.
  func disarm() -> Int {
    left.store(-1, ordering: .sequentiallyConsistent)
    return counted.load(ordering: .relaxed)
  }

  func counting<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
    guard left.load(ordering: .relaxed) >= 0 else { return try body() }
    counted.wrappingAdd(1, ordering: .relaxed)
    let isLast = left.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
    if isLast, diesBefore { die() }
    let result = try body()
    if isLast { die() }
    return result
  }

  private func die() -> Never {
    kill(getpid(), SIGKILL)
    while true { _ = Glibc.pause() }
  }

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    let file = try counting { () throws(SystemError) in
      try real.openFile(path: path, mode: mode)
    }
    return FatalFile(real: file, system: self)
  }

  func removeFile(path: String) throws(SystemError) {
    try counting { () throws(SystemError) in try real.removeFile(path: path) }
  }

  func renameFile(from: String, to: String) throws(SystemError) {
    try counting { () throws(SystemError) in try real.renameFile(from: from, to: to) }
  }

  func synchronizeDirectory(containing path: String) throws(SystemError) {
    try counting { () throws(SystemError) in try real.synchronizeDirectory(containing: path) }
  }
}

/// A file whose calls count.
private final class FatalFile: ForwardingFile {
  let real: any SystemFile
  private let system: FatalSystem

  init(real: any SystemFile, system: FatalSystem) {
    self.real = real
    self.system = system
  }

  private func counting<R>(_ body: () throws(SystemError) -> R) throws(SystemError) -> R {
    try system.counting(body)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try counting { () throws(SystemError) in try unsafe real.write(bytes, at: offset) }
  }

  func synchronize() throws(SystemError) {
    try counting { () throws(SystemError) in try real.synchronize() }
  }

  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try counting { () throws(SystemError) in try real.allocate(offset: offset, length: length) }
  }

  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    try counting { () throws(SystemError) in try real.punchHole(offset: offset, length: length) }
  }

  func truncate(to size: UInt64) throws(SystemError) {
    try counting { () throws(SystemError) in try real.truncate(to: size) }
  }

  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    try unsafe counting { () throws(SystemError) in
      try unsafe real.map(length: length, writable: writable)
    }
  }

  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool {
    try counting { () throws(SystemError) in try real.lock(byte: byte, kind: kind, wait: wait) }
  }

  func unlock(byte: UInt64) throws(SystemError) {
    try counting { () throws(SystemError) in try real.unlock(byte: byte) }
  }

  func close() { system.counting { real.close() } }
}

internal import CPlatform
import Glibc
import Synchronization

/// An open file of the real machine. The descriptor is private and close-on-exec, and a child made
/// by fork() closes it at once, because byte locks would otherwise live on in the child.
final class PosixFile: SystemFile {
  let path: String
  let identity: FileIdentity
  private let descriptor: Int32
  private let use = LockedValue(Use())

  /// Locks are taken and dropped by threads that may outlive the last use of the file, so none of
  /// them may find the number of the descriptor given to another file.
  private struct Use {
    var isClosed = false
    var calls = 0
    var mayRelease: Bool { isClosed && calls == 0 }
  }

  init(path: String, mode: OpenMode) throws(SystemError) {
    var descriptor = Self.open(path, mode == .create ? .readWrite : mode)
    // Only then: where many may write to a directory, Linux can be set to refuse to create a file
    // that somebody else has there (`fs.protected_regular`).
    if mode == .create, descriptor < 0, errno == ENOENT { descriptor = Self.open(path, .create) }
    guard descriptor >= 0 else { throw SystemError(call: .open, path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      holdfast_close_guarded(descriptor)
      throw SystemError(call: .stat, path: path, code: code)
    }
    self.path = path
    self.descriptor = descriptor
    identity = FileIdentity(status)
  }

  private static func open(_ path: String, _ mode: OpenMode) -> Int32 {
    holdfast_open_guarded(path, mode.flags | O_CLOEXEC, mode == .createNew ? 0o600 : 0o644)
  }

  deinit { close() }

  func close() {
    dropLocks()
    let release = use.withLock { use in
      guard !use.isClosed else { return false }
      use.isClosed = true
      return use.mayRelease
    }
    if release { releaseDescriptor() }
  }

  /// Closing alone does not do it as long as a mapping keeps the description.
  private func dropLocks() {
    guard !hasForked, (try? beginLocking()) != nil else { return }
    _ = holdfast_unlock_all(descriptor)
    endLocking()
  }

  private func releaseDescriptor() {
    guard !hasForked else { return }
    _ = holdfast_unlock_all(descriptor)
    holdfast_close_guarded(descriptor)
  }

  private func beginLocking() throws(SystemError) {
    let isOpen = use.withLock { use in
      if !use.isClosed { use.calls += 1 }
      return !use.isClosed
    }
    if !isOpen { throw failure(.lock, code: EBADF) }
  }

  private func endLocking() {
    let release = use.withLock { use in
      use.calls -= 1
      return use.mayRelease
    }
    if release { releaseDescriptor() }
  }

  /// In a child made after the file was opened, the number may by now be that of another file.
  private var hasForked: Bool { forkGenerationAtOpen != ForkGuard.generation }
  private let forkGenerationAtOpen = ForkGuard.generation

  private func failure(_ call: SystemCall, code: Int32 = errno) -> SystemError {
    SystemError(call: call, path: path, code: code)
  }

  private func check(_ call: SystemCall, code: Int32) throws(SystemError) {
    if code != 0 { throw failure(call, code: code) }
  }

  // MARK: What it is

  func fileSystemKind() throws(SystemError) -> FileSystemKind {
    var magic: UInt32 = 0
    try fileSystemMagic(&magic)
    return FileSystemKind(magic: magic)
  }

  func fileSystemMagic(_ magic: inout UInt32) throws(SystemError) {
    try check(.statfs, code: holdfast_filesystem_magic(descriptor, &magic))
  }

  func size() throws(SystemError) -> UInt64 { UInt64(try status().st_size) }

  func allocatedSize() throws(SystemError) -> UInt64 { UInt64(try status().st_blocks) * 512 }

  func linkCount() throws(SystemError) -> UInt64 { UInt64(try status().st_nlink) }

  func permissions() throws(SystemError) -> FilePermissions {
    let status = try status()
    return FilePermissions(
      owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o777)
  }

  func setPermissions(_ permissions: FilePermissions) throws(SystemError) {
    // Owner and group together take privilege; the group alone may be one of the process's own.
    let isGiven = fchown(descriptor, permissions.owner, permissions.group) == 0
    if !isGiven, fchown(descriptor, uid_t.max, permissions.group) != 0, errno != EPERM {
      throw failure(.setPermissions)
    }
    guard fchmod(descriptor, permissions.mode) == 0 || errno == EPERM else {
      throw failure(.setPermissions)
    }
  }

  private func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(.stat) }
    return status
  }

  // MARK: Bytes

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = retryingInterrupted {
        Int(holdfast_write_at(descriptor, rest.baseAddress, rest.count, offset + UInt64(done)))
      }
      guard count > 0 else { throw failure(.write, code: count == 0 ? 0 : errno) }
      done += count
    }
  }

  func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
      let count = retryingInterrupted {
        pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      }
      guard count >= 0 else { throw failure(.read) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  func synchronize() throws(SystemError) {
    guard retryingInterrupted({ fdatasync(descriptor) }) == 0 else { throw failure(.fdatasync) }
  }

  // MARK: Space

  /// Where the file system has no fallocate, Glibc writes a byte into every block instead.
  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    var code = posix_fallocate(descriptor, off_t(offset), off_t(length))
    while code == EINTR { code = posix_fallocate(descriptor, off_t(offset), off_t(length)) }
    try check(.fallocate, code: code)
  }

  var isKeptInPlace: Bool { holdfast_writes_in_place(descriptor) != 0 }

  func keepInPlace() { holdfast_write_in_place(descriptor) }

  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    try check(.punchHole, code: holdfast_punch_hole(descriptor, offset, length))
  }

  func truncate(to size: UInt64) throws(SystemError) {
    guard retryingInterrupted({ ftruncate(descriptor, off_t(size)) }) == 0 else {
      throw failure(.ftruncate)
    }
  }

  // MARK: Memory

  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
    let flags = MAP_SHARED | Int32(MAP_NORESERVE)
    guard let address = mmap(nil, Int(length), protection, flags, descriptor, 0),
      address != MAP_FAILED
    else { throw failure(.mmap) }
    // A mapping keeps the open file description, and with it the byte locks: in a forked child they
    // would outlive the parent. Nor must a child touch memory that its parent shares with others.
    madvise(address, Int(length), MADV_DONTFORK)
    return address
  }

  func unmap(_ address: UnsafeMutableRawPointer, length: UInt64) {
    guard !hasForked else { return }
    munmap(address, Int(length))
  }

  func advise(_ address: UnsafeMutableRawPointer, length: UInt64, _ advice: MappingAdvice) {
    switch advice {
    case .singlePages: madvise(address, Int(length), MADV_RANDOM)
    case .readAhead: madvise(address, Int(length), MADV_NORMAL)
    }
  }

  // MARK: Byte locks

  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool {
    try beginLocking()
    defer { endLocking() }
    let code = holdfast_lock(descriptor, byte, kind.number, wait ? 1 : 0)
    if code == EAGAIN, !wait { return false }
    try check(.lock, code: code)
    return true
  }

  func waitForLock(
    byte: UInt64, kind: LockKind, whenDone: @escaping @Sendable (Result<Void, SystemError>) -> Void
  ) throws(SystemError) -> any LockWait {
    try beginLocking()
    let file = self
    let wait = PosixLockWait(end: { file.endLocking() }) { code in
      whenDone(code == 0 ? .success(()) : .failure(file.failure(.lock, code: code)))
    }
    let code = wait.start(descriptor: descriptor, byte: byte, kind: kind.number)
    if code != 0 { endLocking() }
    try check(.lock, code: code)
    return wait
  }

  func unlock(byte: UInt64) throws(SystemError) {
    try beginLocking()
    defer { endLocking() }
    try check(.unlock, code: holdfast_lock(descriptor, byte, Int32(HOLDFAST_UNLOCK), 0))
  }

  func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool {
    try beginLocking()
    defer { endLocking() }
    var held: Int32 = 0
    try check(.lock, code: holdfast_lock_query(descriptor, byte, kind.number, &held))
    return held != 0
  }
}

extension OpenMode {
  fileprivate var flags: Int32 {
    switch self {
    case .readOnly: O_RDONLY
    case .readWrite: O_RDWR
    case .create: O_RDWR | O_CREAT
    case .readWriteNoFollow: O_RDWR | O_NOFOLLOW
    case .createNew: O_RDWR | O_CREAT | O_EXCL
    }
  }
}

extension FileIdentity {
  init(_ status: stat) {
    self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }
}

extension LockKind {
  fileprivate var number: Int32 {
    switch self {
    case .shared: Int32(HOLDFAST_SHARED)
    case .exclusive: Int32(HOLDFAST_EXCLUSIVE)
    }
  }
}

/// The one choke point for system calls.
///
/// Everything above this target reaches the disk, the lock bytes and the mapping through these
/// protocols, so that tests can put a disk in their place that fails at call n, or that crashes to
/// what had been flushed. `PosixSystem` is the production implementation. Calls here are dispatched
/// dynamically; each of them costs a system call, beside which that is nothing.
public protocol System: AnyObject, Sendable {
  /// Opens (and with `.create` makes) a file, close-on-exec.
  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile

  /// Removes a name. A missing file is not an error.
  func removeFile(path: String) throws(SystemError)

  /// Atomically gives `from` the name `to`.
  func renameFile(from: String, to: String) throws(SystemError)

  func fileExists(path: String) -> Bool

  /// Which file has that name now, symbolic links followed; nil if none has.
  func identity(ofFileAt path: String) throws(SystemError) -> FileIdentity?

  /// The file's absolute path without symbolic links; nil if there is no such file.
  func canonicalPath(of path: String) throws(SystemError) -> String?

  /// Flushes the directory that holds `path`, so that a new name survives power loss.
  func synchronizeDirectory(containing path: String) throws(SystemError)

  /// Identifies this boot of the machine; what was written in another boot and not flushed then
  /// may be lost.
  func bootIdentifier() -> BootIdentifier

  /// Whether time passes by itself here. In a simulation it does not, and nothing that depends on
  /// it is done, so that a run can be repeated.
  var hasRealTime: Bool { get }

  // MARK: Threads and time

  /// Sleeps as long as the 4-byte word holds `expected` and `wake` is not called; may return for no
  /// reason. The word may be in memory that processes share. `timeout` is nanoseconds; nil waits
  /// for ever. Returns false if the time was over.
  @discardableResult
  func wait(on word: UnsafeMutableRawPointer, while expected: UInt32, timeout: UInt64?) -> Bool

  /// How many words a thread can sleep on at once.
  var awaitedWordsMax: Int { get }

  /// As `wait(on:while:timeout:)`, on up to `awaitedWordsMax` words, until it is over for one of
  /// them.
  func wait(onAnyOf words: [AwaitedWord], timeout: UInt64?)

  /// Wakes up to `count` threads of any process that sleep on the word; returns how many there
  /// were.
  @discardableResult
  func wake(_ word: UnsafeMutableRawPointer, count: Int32) -> Int

  /// Starts a detached thread. `name` shows in debuggers; up to 15 bytes of it.
  func startThread(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError)

  /// A queue that runs closures in the background, one at a time. It takes a thread only while
  /// there is something to run.
  func makeQueue(label: String) -> any BackgroundQueue

  /// Lets time pass on the calling thread.
  func pause(nanoseconds: UInt64)

  /// Nanoseconds of a clock that all processes of the machine read; it never goes back in a boot.
  func now() -> UInt64

  /// The same, up to a few milliseconds old, at a fraction of the cost.
  func coarseNow() -> UInt64
}

/// Runs closures in the background, one after the other.
public protocol BackgroundQueue: AnyObject, Sendable {
  /// Runs `job` after what was added before it.
  func run(_ job: @escaping @Sendable () -> Void)

  /// Runs `job` once the time has passed, between other closures.
  func run(afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void)

  /// Returns when everything that is due now has run. Not to be called from a closure of the queue.
  func drain()
}

public enum OpenMode: Sendable {
  case readOnly
  case readWrite
  /// Read-write, made with mode 0644 (less the umask) if it is not there.
  case create
  /// Read-write; a symbolic link at the path is an error and not followed.
  case readWriteNoFollow
  /// Read-write, made with mode 0600; an error if anything has that name, a symbolic link included.
  case createNew
}

/// Who may use a file.
public struct FilePermissions: Hashable, Sendable {
  public var owner: UInt32
  public var group: UInt32
  /// The nine permission bits.
  public var mode: UInt32
  public init(owner: UInt32, group: UInt32, mode: UInt32) {
    self.owner = owner
    self.group = group
    self.mode = mode
  }
}

/// An open file. Offsets and lengths are bytes.
public protocol SystemFile: AnyObject, Sendable {
  var path: String { get }

  /// Device and inode: two paths with the same identity are one file.
  var identity: FileIdentity { get }

  /// What kind of file system holds it; network and VM-shared ones cannot coordinate processes.
  func fileSystemKind() throws(SystemError) -> FileSystemKind

  func size() throws(SystemError) -> UInt64

  /// Bytes that the file system has allocated to the file (less than `size` where it has holes).
  func allocatedSize() throws(SystemError) -> UInt64

  /// How many names the file has; 0 when it has been deleted and lives on only in open handles.
  func linkCount() throws(SystemError) -> UInt64

  func permissions() throws(SystemError) -> FilePermissions

  /// Sets as much of it as the process may: who is not allowed to give a file away keeps it.
  func setPermissions(_ permissions: FilePermissions) throws(SystemError)

  /// Writes all of `bytes` at `offset`, or throws; a short write is continued, and a write that
  /// makes no progress is an error.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError)

  /// Reads up to `bytes.count` bytes; fewer only at the end of the file.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SystemError) -> Int

  /// `fdatasync`. A failure means that what was written since the last success may be lost.
  func synchronize() throws(SystemError)

  /// Reserves blocks and extends the size to at least `offset + length`.
  func allocate(offset: UInt64, length: UInt64) throws(SystemError)

  /// For an empty file: asks the file system to write it where it is, so that what has been
  /// reserved can be written again on a full disk too. Does nothing where that is not to be had.
  func keepInPlace()

  /// False where each write of what has been flushed takes a new block, as on a file system that
  /// copies on write, which a full disk does not have.
  var isKeptInPlace: Bool { get }

  /// Gives blocks back and leaves the size as it is; the range reads as zeros afterwards.
  func punchHole(offset: UInt64, length: UInt64) throws(SystemError)

  func truncate(to size: UInt64) throws(SystemError)

  /// Maps `length` bytes from the start, shared; `length` may reach beyond the end of the file, as
  /// long as that part is not accessed. The mapping lives until `unmap`.
  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer
  func unmap(_ address: UnsafeMutableRawPointer, length: UInt64)
  /// Announces how a mapping is going to be read. Files that are not on a disk can ignore it.
  func advise(_ address: UnsafeMutableRawPointer, length: UInt64, _ advice: MappingAdvice)

  /// Open-file-description byte locks: dropped by the kernel when this description is closed, also
  /// by a death of any kind. `lock` returns false when `wait` is false and another description
  /// holds it. Asking again for a byte that this file holds converts the lock atomically.
  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool
  func unlock(byte: UInt64) throws(SystemError)
  /// Whether another open file description holds a lock on the byte that excludes `kind`.
  func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool
  /// Waits for a lock in the background and calls `whenDone` on some thread once it is held, or has
  /// failed.
  func waitForLock(
    byte: UInt64, kind: LockKind, whenDone: @escaping @Sendable (Result<Void, SystemError>) -> Void
  ) throws(SystemError) -> any LockWait

  /// Closes the descriptor; locks of this description are dropped. A thread that waits for a lock
  /// of this file is left to wait; the descriptor goes when it has done so.
  func close()
}

/// A wait for a byte lock in the background.
public protocol LockWait: AnyObject, Sendable {
  /// Gives up. True: the lock is not held and the wait's closure is never called. False: too late.
  func cancel() -> Bool
}

public enum LockKind: Sendable {
  case shared
  case exclusive
}

public struct FileIdentity: Hashable, Sendable {
  public var device: UInt64
  public var inode: UInt64
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

public enum FileSystemKind: Hashable, Sendable {
  case local
  /// Byte locks or shared mappings do not reach every process there. The name is for messages.
  case notCoherent(name: String)
}

/// How a mapping is going to be read.
public enum MappingAdvice: Sendable {
  /// Here and there: a page that is not in memory is read alone.
  case singlePages
  /// Much of it: a page that is not in memory is read with what lies around it.
  case readAhead
}

extension SystemFile {
  public func advise(
    _ address: UnsafeMutableRawPointer, length: UInt64, _ advice: MappingAdvice
  ) {}
}

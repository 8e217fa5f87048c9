import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite struct PosixFileTests {
  let directory = TemporaryDirectory()
  let system = PosixSystem.shared

  private func make(_ name: String = "file") throws -> any SystemFile {
    try system.openFile(path: directory.file(name), mode: .create)
  }

  @Test func whatIsWrittenIsRead() throws {
    let file = try make()
    try unsafe [1, 2, 3, 4].withUnsafeBytes { try unsafe file.write($0, at: 100) }
    var bytes = [UInt8](repeating: 9, count: 64)
    let count = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: 100) }
    #expect(count == 32)
    #expect(bytes[0] == 1 && bytes[8] == 2)
    #expect(try file.size() == 132)
    try file.synchronize()
  }

  @Test func aMissingFileIsAnErrorThatNamesCallAndPath() {
    let path = directory.file("missing")
    #expect(throws: SystemError(call: .open, path: path, code: ENOENT)) {
      try system.openFile(path: path, mode: .readWrite)
    }
    #expect(throws: Never.self) { try system.removeFile(path: path) }
  }

  @Test func writingThroughAReadOnlyHandleIsAnError() throws {
    try make().close()
    let file = try system.openFile(path: directory.file("file"), mode: .readOnly)
    #expect(throws: SystemError(call: .write, path: file.path, code: EBADF)) {
      try unsafe [1].withUnsafeBytes { try unsafe file.write($0, at: 0) }
    }
  }

  @Test func descriptorsAreCloseOnExec() throws {
    let file = try make()
    let descriptors = (0..<1024).filter { descriptor in
      var status = stat()
      return unsafe fstat(Int32(descriptor), &status) == 0
        && UInt64(status.st_ino) == file.identity.inode
        && UInt64(status.st_dev) == file.identity.device
    }
    #expect(descriptors.count == 1)
    for descriptor in descriptors { #expect(fcntl(Int32(descriptor), F_GETFD) & FD_CLOEXEC != 0) }
  }

  @Test func allocatedRangesHaveBlocksAndPunchedOnesReadAsZeros() throws {
    let file = try make()
    try file.allocate(offset: 0, length: 1 << 20)
    #expect(try file.size() == 1 << 20)
    #expect(try file.allocatedSize() >= 1 << 20)
    let ones = [UInt8](repeating: 1, count: 1 << 20)
    try unsafe ones.withUnsafeBytes { try unsafe file.write($0, at: 0) }
    try file.punchHole(offset: 4096, length: 1 << 19)
    #expect(try file.size() == 1 << 20)
    #expect(try file.allocatedSize() < 1 << 20)
    var bytes = [UInt8](repeating: 7, count: 2)
    _ = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: 4095) }
    #expect(bytes == [1, 0])
    try file.truncate(to: 10)
    #expect(try file.size() == 10)
  }

  @Test func aMappingReachesBeyondTheEndAndShowsWhatIsWrittenLater() throws {
    let file = try make()
    let address = try unsafe file.map(length: 1 << 30, writable: false)
    try file.allocate(offset: 0, length: 8192)
    try unsafe [UInt8(42)].withUnsafeBytes { try unsafe file.write($0, at: 5000) }
    #expect(unsafe address.load(fromByteOffset: 5000, as: UInt8.self) == 42)
    let writable = try unsafe file.map(length: 4096, writable: true)
    unsafe writable.storeBytes(of: 5, as: UInt8.self)
    #expect(unsafe address.load(as: UInt8.self) == 5)
    unsafe file.unmap(address, length: 1 << 30)
    unsafe file.unmap(writable, length: 4096)
  }

  @Test func byteLocksExcludeOtherHandlesAndConvertInPlace() throws {
    let first = try make()
    let second = try make()
    #expect(first.identity == second.identity)
    #expect(try first.lock(byte: 3, kind: .exclusive, wait: false))
    #expect(try !second.lock(byte: 3, kind: .exclusive, wait: false))
    #expect(try second.lock(byte: 4, kind: .exclusive, wait: false))
    #expect(try second.isLockedByOther(byte: 3, kind: .shared))
    #expect(try !first.isLockedByOther(byte: 3, kind: .exclusive))
    #expect(try first.lock(byte: 3, kind: .shared, wait: false))
    #expect(try second.lock(byte: 3, kind: .shared, wait: false))
    #expect(try second.isLockedByOther(byte: 3, kind: .exclusive))
    try first.unlock(byte: 3)
    #expect(try second.lock(byte: 3, kind: .exclusive, wait: true))
    second.close()
    #expect(try !first.isLockedByOther(byte: 3, kind: .shared))
  }

  @Test func closingAnotherHandleKeepsTheLocksOfThisOne() throws {
    let first = try make()
    #expect(try first.lock(byte: 0, kind: .exclusive, wait: false))
    try make().close()
    let third = try make()
    #expect(try third.isLockedByOther(byte: 0, kind: .exclusive))
  }

  @Test func closingDropsTheLocksAlthoughAMappingIsLeft() throws {
    let first = try make()
    try first.allocate(offset: 0, length: 4096)
    let address = try unsafe first.map(length: 4096, writable: false)
    #expect(try first.lock(byte: 1 << 62, kind: .exclusive, wait: false))
    first.close()
    #expect(try make().lock(byte: 1 << 62, kind: .exclusive, wait: false))
    unsafe first.unmap(address, length: 4096)
  }

  @Test func aLockIsAwaitedInTheBackground() async throws {
    let first = try make()
    let second = try make()
    #expect(try first.lock(byte: 0, kind: .exclusive, wait: false))
    await withCheckedContinuation { continuation in
      let wait = try? second.waitForLock(byte: 0, kind: .exclusive) { result in
        #expect(throws: Never.self) { try result.get() }
        continuation.resume()
      }
      #expect(wait != nil)
      #expect(throws: Never.self) { try first.unlock(byte: 0) }
    }
    #expect(try first.isLockedByOther(byte: 0, kind: .shared))
  }

  @Test func aCancelledWaitEndsAtOnceAndHoldsNothing() throws {
    let first = try make()
    let second = try make()
    #expect(try first.lock(byte: 0, kind: .exclusive, wait: false))
    for _ in 0..<100 {
      let wait = try second.waitForLock(byte: 0, kind: .exclusive) { _ in
        Issue.record("called after it was cancelled")
      }
      #expect(wait.cancel())
      #expect(!wait.cancel())
    }
    try first.unlock(byte: 0)
    #expect(try !first.isLockedByOther(byte: 0, kind: .shared))
    // A closed file gives its descriptor back once nobody waits through it any more.
    second.close()
    #expect(throws: SystemError(call: .lock, path: second.path, code: EBADF)) {
      _ = try second.lock(byte: 0, kind: .exclusive, wait: true)
    }
  }

  @Test func aDeletedFileHasNoLinks() throws {
    let file = try make()
    #expect(try file.linkCount() == 1)
    try system.removeFile(path: file.path)
    #expect(try file.linkCount() == 0)
  }

  @Test func renamingReplacesAndDirectoriesFlush() throws {
    try make("new").close()
    try make("old").close()
    try system.renameFile(from: directory.file("new"), to: directory.file("old"))
    try system.synchronizeDirectory(containing: directory.file("old"))
    #expect(!system.fileExists(path: directory.file("new")))
    #expect(system.fileExists(path: directory.file("old")))
  }

  @Test func theDirectoryOfAPath() {
    #expect(PosixSystem.directory(containing: "a") == ".")
    #expect(PosixSystem.directory(containing: "/a") == "/")
    #expect(PosixSystem.directory(containing: "/a/b/c") == "/a/b")
  }

  /// A directory in memory, as /dev/shm is.
  private func memoryDirectory() -> String? {
    let path = "/dev/shm/holdfast-test-\(UInt64.random(in: 0 ... .max))"
    return unsafe mkdir(path, 0o700) == 0 ? path : nil
  }

  @Test func `where the kernel's boot identifier is hidden, processes share one in memory`() throws
  {
    guard let memory = memoryDirectory() else { return print("skipped: no /dev/shm here") }
    let name = "\(memory)/holdfast-boot-\(geteuid())"
    defer {
      unsafe unlink(name)
      unsafe rmdir(memory)
    }
    func identifier() -> BootIdentifier {
      BootIdentifier.ofThisBoot(kernelFile: directory.file("hidden"), memoryDirectory: memory)
    }
    let first = identifier()
    #expect(identifier() == first)
    // Not believed once others may have written it.
    unsafe chmod(name, 0o666)
    #expect(identifier() != first)
    unsafe chmod(name, 0o600)
    #expect(identifier() == first)
  }

  @Test func `a boot identifier on a disk, which outlives the boot, is not believed`() throws {
    func identifier() -> BootIdentifier {
      BootIdentifier.ofThisBoot(
        kernelFile: directory.file("hidden"), memoryDirectory: directory.path)
    }
    var magic: UInt32 = 0
    try (try make() as! PosixFile).fileSystemMagic(&magic)
    if magic == 0x0102_1994 { return print("skipped: temporary files are in memory here") }
    #expect(identifier() != identifier())
  }

  @Test func bootIdentifiersAreStableAndParsed() {
    #expect(system.bootIdentifier() == system.bootIdentifier())
    let text = "00000000-0000-0001-0000-00000000000a\n"
    #expect(BootIdentifier(hexadecimal: text.utf8) == BootIdentifier(high: 1, low: 10))
    #expect(BootIdentifier(hexadecimal: "12".utf8) == nil)
  }

  @Test func networkFileSystemsAreNotCoherent() throws {
    #expect(FileSystemKind(magic: 0x6969) == .notCoherent(name: "NFS"))
    #expect(FileSystemKind(magic: 0xEF53) == .local)
    #expect(FileSystemKind(magic: 0x6573_5546) == .notCoherent(name: "FUSE or virtiofs"))
    #expect(try make().fileSystemKind() == .local)
  }

  @Test func clocksAdvanceTogether() {
    let coarse = MonotonicClock.coarse()
    let exact = MonotonicClock.now()
    #expect(exact >= coarse)
    #expect(exact - coarse < 1_000_000_000)
  }
}

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Platform

@Suite(.timeLimit(.minutes(5))) struct ForkTests {
  /// Forked while other threads open files: each child looks at the descriptors that it has.
  @Test func `a child has no descriptor of a file that is being opened while it is forked`() async {
    await #expect(processExitsWith: .success) {
      let directory = TemporaryDirectory()
      let isOver = Atomic<Bool>(false)
      for index in 0..<2 {
        let path = directory.file("file-\(index)")
        try BackgroundThread.start(name: "opener") {
          while !isOver.load(ordering: .relaxed) {
            (try? PosixSystem.shared.openFile(path: path, mode: .create))?.close()
          }
        }
      }
      var leaks = 0
      for _ in 0..<2000 where try ForkTests.hasLeak(directory.file("file-")) { leaks += 1 }
      isOver.store(true, ordering: .relaxed)
      withExtendedLifetime(directory) {}
      precondition(leaks == 0, "\(leaks) children kept a descriptor")
    }
  }

  private static func hasLeak(_ prefix: String) throws -> Bool {
    typealias Fork = @convention(c) () -> pid_t
    let fork = unsafe unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
    // Made before, because a child of many threads had better not ask for memory.
    let wanted = Array(prefix.utf8CString.dropLast())
    let links = unsafe (3..<64).map { unsafe strdup("/proc/self/fd/\($0)")! }
    let target = UnsafeMutablePointer<CChar>.allocate(capacity: 4096)
    defer {
      unsafe links.forEach { unsafe free($0) }
      unsafe target.deallocate()
    }
    let child = fork()
    if child == 0 {
      var status: Int32 = 0
      unsafe wanted.withUnsafeBufferPointer { wanted in
        for index in unsafe links.indices
        where unsafe readlink(links[index], target, 4095) > wanted.count {
          if unsafe memcmp(target, wanted.baseAddress!, wanted.count) == 0 { status = 1 }
        }
      }
      _exit(status)
    }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return status != 0
  }
}

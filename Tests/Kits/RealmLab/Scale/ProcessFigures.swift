import Glibc
import Platform
import Synchronization

/// What the calling process takes of the machine, as the kernel counts it.
public enum ProcessFigures {
  /// Bytes of memory that are this process's alone and that it has written to.
  public static func privateDirtyBytes() -> UInt64 {
    kilobytes("Private_Dirty:", in: "/proc/self/smaps_rollup") * 1024
  }

  /// Bytes of memory that belong to no file.
  public static func anonymousBytes() -> UInt64 {
    kilobytes("RssAnon:", in: "/proc/self/status") * 1024
  }

  public static func addressSpaceBytes() -> UInt64 {
    kilobytes("VmSize:", in: "/proc/self/status") * 1024
  }

  public static func threads() -> UInt64 { kilobytes("Threads:", in: "/proc/self/status") }

  public static func descriptors() -> Int {
    guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    // Without the directory's own, "." and "..".
    return count - 3
  }

  /// How often the process has waited for a page of a file to be read.
  public static func pagesWaitedFor() -> Int {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_majflt
  }

  /// Nanoseconds of processor that all threads of the process have taken.
  public static func processorTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func kilobytes(_ name: String, in path: String) -> UInt64 {
    guard let file = unsafe fopen(path, "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let words = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
      ).split { $0 == " " || $0 == "\t" || $0 == "\n" }
      if words.count > 1, words[0] == name { return UInt64(words[1]) ?? 0 }
    }
    return 0
  }
}

/// The most memory outside of files that the process has had while this existed.
final class AnonymousPeak: Sendable {
  private let peak = Atomic<UInt64>(0)
  private let isOver = Atomic<Bool>(false)

  init() {
    do {
      try BackgroundThread.start(name: "memory peak") { [weak self] in
        while let self, !self.isOver.load(ordering: .relaxed) {
          self.look()
          BackgroundThread.pause(nanoseconds: 5_000_000)
        }
      }
    } catch {
      fatalError("no thread to look at the memory: \(error)")
    }
  }

  private func look() { peak.max(ProcessFigures.anonymousBytes(), ordering: .relaxed) }

  /// Bytes, since the last call.
  func take() -> UInt64 {
    look()
    return peak.exchange(0, ordering: .relaxed)
  }

  deinit { isOver.store(true, ordering: .relaxed) }
}

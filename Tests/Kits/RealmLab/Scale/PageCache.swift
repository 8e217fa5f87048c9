import Glibc

/// What the kernel keeps of a file in memory.
public enum PageCache {
  /// Writes the file back and drops it; it must not be mapped. Other files stay as they are.
  ///
  /// - Returns: the part of the file that is still in memory, 0...1.
  public static func drop(_ path: String) -> Double {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0, "\(path): errno \(errno)")
    defer { close(descriptor) }
    fdatasync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    return residentPart(descriptor)
  }

  public static func writeBack(_ path: String) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0, "\(path): errno \(errno)")
    fdatasync(descriptor)
    close(descriptor)
  }

  private static func residentPart(_ descriptor: Int32) -> Double {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size > 0 else { return 0 }
    let size = Int(status.st_size)
    guard let address = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0),
      unsafe address != MAP_FAILED
    else { return 1 }
    defer { unsafe munmap(address, size) }
    var pages = [UInt8](repeating: 0, count: (size + 4095) / 4096)
    guard unsafe mincore(address, size, &pages) == 0 else { return 1 }
    return Double(pages.count { $0 & 1 != 0 }) / Double(pages.count)
  }
}

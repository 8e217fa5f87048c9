import Platform

/// A set of places in a file, a bit for every 64 bytes: 40 MB for a file of 20 GB, of which the
/// kernel gives what is touched.
final class CellSet {
  private static let cellSize: UInt64 = 64
  private let words: UnsafeMutablePointer<UInt64>
  private let byteCount: Int
  private let end: UInt64

  /// - Parameter limit: bytes of the file.
  init(limit: UInt64) throws(SystemError) {
    end = limit / Self.cellSize + 1
    byteCount = Int(end / 64 + 1) * 8
    words = try AnonymousMemory.map(length: byteCount).assumingMemoryBound(to: UInt64.self)
  }

  deinit { AnonymousMemory.unmap(UnsafeMutableRawPointer(words), length: byteCount) }

  func contains(_ offset: UInt64) -> Bool { containsCell(offset / Self.cellSize) }

  func insert(_ offset: UInt64) { insertCell(offset / Self.cellSize) }

  /// Every cell that the extent touches.
  func insert(_ extent: Extent) {
    var cell = extent.offset / Self.cellSize
    let last = (extent.end + Self.cellSize - 1) / Self.cellSize
    while cell < last {
      if cell % 64 == 0, cell + 64 <= last, cell + 64 <= end {
        words[Int(cell / 64)] = .max
        cell += 64
      } else {
        insertCell(cell)
        cell += 1
      }
    }
  }

  /// Whether every cell that the extent touches is in the set.
  func containsAll(_ extent: Extent) -> Bool {
    var cell = extent.offset / Self.cellSize
    let last = (extent.end + Self.cellSize - 1) / Self.cellSize
    while cell < last {
      if !containsCell(cell) { return false }
      cell += 1
    }
    return true
  }

  private func insertCell(_ cell: UInt64) {
    if cell < end { words[Int(cell / 64)] |= 1 << (cell % 64) }
  }

  private func containsCell(_ cell: UInt64) -> Bool {
    cell < end && words[Int(cell / 64)] >> (cell % 64) & 1 != 0
  }
}

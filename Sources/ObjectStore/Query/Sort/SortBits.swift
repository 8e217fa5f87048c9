/// Values as unsigned integers in the same order, for sorting without comparisons.
enum SortBits {
  @inline(__always)
  static func of(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 &<< 63) }

  /// Not-a-number comes first; -0 and 0 fall together.
  @inline(__always)
  static func of(_ value: Double) -> UInt64 {
    if value.isNaN { return 0 }
    let bits = (value + 0).bitPattern
    return bits &>> 63 == 0 ? bits | (1 &<< 63) : ~bits
  }

  /// The double that such bits stand for.
  static func double(_ bits: UInt64) -> Double {
    if bits == 0 { return .nan }
    return Double(bitPattern: bits &>> 63 == 0 ? ~bits : bits & ~(1 &<< 63))
  }

  /// Up to 8 bytes from `offset` on, the first one most significant, zeros beyond the end.
  @inline(__always)
  static func of(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
    let left = bytes.count &- offset
    if left >= 8 {
      return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
    }
    var bits: UInt64 = 0
    var index = 0
    while index < left {
      unsafe bits |= UInt64(bytes[offset &+ index]) &<< UInt64(56 &- index &* 8)
      index &+= 1
    }
    return bits
  }
}

/// A row and what it is sorted by at the moment.
@frozen
@usableFromInline
struct SortEntry {
  @usableFromInline var bits: UInt64
  @usableFromInline var row: UInt32

  @inlinable @inline(__always)
  init(bits: UInt64, row: UInt32) {
    self.bits = bits
    self.row = row
  }
}

/// Stable sorting of entries by their bits.
///
/// Counting passes over up to 32 of the topmost bits that differ, a byte each (more buckets would
/// not fit the processor's address cache); entries that agree in those are sorted by the rest in
/// turn. Few entries are sorted by insertion.
struct RadixSort {
  private var spare: [SortEntry] = []
  private static let digitBits: UInt64 = 8
  private static let passesMax: UInt64 = 4
  private static let insertionMax = 24

  mutating func sort(_ entries: UnsafeMutableBufferPointer<SortEntry>) {
    if entries.count <= Self.insertionMax { return unsafe Self.insertionSort(entries) }
    var differing: UInt64 = 0
    let first = unsafe entries[0].bits
    var isSorted = true
    var last = first
    for place in 0..<entries.count {
      let entry = unsafe entries[place]
      differing |= entry.bits ^ first
      isSorted = isSorted && last <= entry.bits
      last = entry.bits
    }
    if isSorted { return }
    let width = UInt64(64 - differing.leadingZeroBitCount)
    let sorted = Self.passesMax * Self.digitBits
    let shift = width > sorted ? width - sorted : 0
    unsafe countingPasses(entries, shifts: stride(from: shift, to: width, by: Int(Self.digitBits)))
    if shift > 0 { unsafe sortRuns(entries, shift: shift) }
  }

  private mutating func sortRuns(
    _ entries: UnsafeMutableBufferPointer<SortEntry>, shift: UInt64
  ) {
    var start = 0
    while start < entries.count {
      let bits = unsafe entries[start].bits &>> shift
      var end = start + 1
      while end < entries.count, unsafe entries[end].bits &>> shift == bits { end += 1 }
      if end - start > 1 { unsafe sort(UnsafeMutableBufferPointer(rebasing: entries[start..<end])) }
      start = end
    }
  }

  /// Sorts by one digit after the other, to the spare array and back: only an odd number of passes
  /// ends with a copy.
  private mutating func countingPasses(
    _ entries: UnsafeMutableBufferPointer<SortEntry>, shifts: StrideTo<UInt64>
  ) {
    if spare.count < entries.count {
      spare = [SortEntry](repeating: SortEntry(bits: 0, row: 0), count: entries.count)
    }
    unsafe spare.withUnsafeMutableBufferPointer { spare in
      var source = unsafe entries
      var target = unsafe UnsafeMutableBufferPointer(rebasing: spare[..<entries.count])
      for shift in shifts {
        unsafe Self.countingPass(source, to: target, shift: shift)
        unsafe swap(&source, &target)
      }
      if unsafe source.baseAddress == entries.baseAddress { return }
      unsafe entries.baseAddress.unsafelyUnwrapped.update(
        from: source.baseAddress.unsafelyUnwrapped, count: entries.count)
    }
  }

  /// - Parameter target: as many entries.
  private static func countingPass(
    _ source: UnsafeMutableBufferPointer<SortEntry>,
    to target: UnsafeMutableBufferPointer<SortEntry>, shift: UInt64
  ) {
    let mask: UInt64 = (1 << Self.digitBits) - 1
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: Int(mask) + 1) { starts in
      unsafe starts.initialize(repeating: 0)
      for place in 0..<source.count {
        unsafe starts[Int(source[place].bits &>> shift & mask)] &+= 1
      }
      var sum = 0
      for digit in starts.indices {
        let count = unsafe starts[digit]
        unsafe starts[digit] = sum
        sum &+= count
      }
      for place in 0..<source.count {
        let entry = unsafe source[place]
        let digit = Int(entry.bits &>> shift & mask)
        unsafe target[starts[digit]] = entry
        unsafe starts[digit] &+= 1
      }
    }
  }

  private static func insertionSort(_ entries: UnsafeMutableBufferPointer<SortEntry>) {
    var index = 1
    while index < entries.count {
      let entry = unsafe entries[index]
      var place = index
      while place > 0, unsafe entries[place - 1].bits > entry.bits {
        unsafe entries[place] = entries[place - 1]
        place -= 1
      }
      unsafe entries[place] = entry
      index += 1
    }
  }
}

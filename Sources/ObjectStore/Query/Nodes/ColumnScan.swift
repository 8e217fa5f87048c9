import CScan

/// Comparisons of a whole vector with constants, each giving the rows where they hold.
///
/// They look at the rows that the vector has, whether they hold a value or not; `VectorNode` lays
/// validity and missing rows over the outcome.
enum ColumnScan {
  @inline(__always)
  private static func collect(_ body: (UnsafeMutablePointer<UInt64>) -> Void) -> Selection {
    var words = SIMD4<UInt64>()
    unsafe withUnsafeMutablePointer(to: &words) { pointer in
      unsafe pointer.withMemoryRebound(to: UInt64.self, capacity: 4) { unsafe body($0) }
    }
    return Selection(words: words)
  }

  /// Integers in `lower ... upper`, which must not be empty.
  @inline(__always)
  static func integers(
    _ elements: UnsafeRawPointer, width: Int, count: Int, in range: ClosedRange<Int64>
  ) -> Selection {
    switch width {
    case 8:
      return unsafe narrow(range, Int8.self, count) {
        unsafe scan_range_i8(elements, count, $0, $1, $2)
      }
    case 16:
      return unsafe narrow(range, Int16.self, count) {
        unsafe scan_range_i16(elements, count, $0, $1, $2)
      }
    case 32:
      return unsafe narrow(range, Int32.self, count) {
        unsafe scan_range_i32(elements, count, $0, $1, $2)
      }
    case 64:
      return unsafe collect {
        unsafe scan_range_i64(elements, count, range.lowerBound, range.upperBound, $0)
      }
    case 1: return unsafe bits(elements, count: count, in: range)
    default: return range.contains(0) ? .first(count) : .none
    }
  }

  /// Cuts the range down to what the elements' type can hold.
  @inline(__always)
  private static func narrow<T: FixedWidthInteger & SignedInteger>(
    _ range: ClosedRange<Int64>, _ type: T.Type, _ count: Int,
    _ scan: (Int64, Int64, UnsafeMutablePointer<UInt64>) -> Void
  ) -> Selection {
    let lower = max(range.lowerBound, Int64(T.min))
    let upper = min(range.upperBound, Int64(T.max))
    if lower > upper { return .none }
    return unsafe collect { unsafe scan(lower, upper, $0) }
  }

  private static func bits(
    _ elements: UnsafeRawPointer, count: Int, in range: ClosedRange<Int64>
  ) -> Selection {
    // The data of a node ends at a multiple of 8 bytes, so whole words can be read.
    let ones = unsafe Selection.load(elements.assumingMemoryBound(to: UInt64.self), count: count)
    switch (range.contains(0), range.contains(1)) {
    case (true, true): return .first(count)
    case (true, false): return Selection.first(count).subtracting(ones)
    case (false, true): return ones
    case (false, false): return .none
    }
  }

  /// Doubles in `lower ... upper`; not-a-number never is.
  @inline(__always)
  static func doubles(
    _ elements: UnsafeRawPointer, count: Int, lower: Double, upper: Double
  ) -> Selection {
    unsafe collect { unsafe scan_range_f64(elements, count, lower, upper, $0) }
  }

  @inline(__always)
  static func floats(
    _ elements: UnsafeRawPointer, count: Int, lower: Float, upper: Float
  ) -> Selection {
    unsafe collect { unsafe scan_range_f32(elements, count, lower, upper, $0) }
  }

  /// Elements of `stride` bytes that equal those at `value`.
  @inline(__always)
  static func fixed(
    _ elements: UnsafeRawPointer, stride: Int, count: Int, equal value: UnsafeRawPointer
  ) -> Selection {
    unsafe collect { unsafe scan_fixed_equal(elements, count, stride, value, $0) }
  }

  /// What a vector of byte strings is tested for.
  enum BytesTest: Sendable {
    case equal, begins, ends, contains
    case less, lessOrEqual, greater, greaterOrEqual
  }

  /// Byte strings of `vector` (but for its large values) for which the test with `value` holds.
  ///
  /// - Parameter heap: the vector's, or a copy of it in which bytes have been folded.
  static func bytes(
    _ vector: ColumnVector, _ test: BytesTest, _ value: UnsafeBufferPointer<UInt8>,
    heap: UnsafePointer<UInt8>
  ) -> Selection {
    let ends = unsafe vector.ends
    let count = vector.count
    let needle = value.baseAddress
    let length = value.count
    return unsafe collect { out in
      switch test {
      case .equal: unsafe scan_bytes_equal(ends, heap, count, needle, length, out)
      case .begins: unsafe scan_bytes_begins(ends, heap, count, needle, length, out)
      case .ends: unsafe scan_bytes_ends(ends, heap, count, needle, length, out)
      case .contains: unsafe scan_bytes_contains(ends, heap, count, needle, length, out)
      case .less: unsafe scan_bytes_order(ends, heap, count, needle, length, -1, 0, out)
      case .lessOrEqual: unsafe scan_bytes_order(ends, heap, count, needle, length, -1, 1, out)
      case .greater: unsafe scan_bytes_order(ends, heap, count, needle, length, 1, 0, out)
      case .greaterOrEqual: unsafe scan_bytes_order(ends, heap, count, needle, length, 1, 1, out)
      }
    }
  }

  /// Byte strings of `vector` (but for its large values) that are not all ASCII.
  static func beyondASCII(_ vector: ColumnVector) -> Selection {
    unsafe collect { unsafe scan_bytes_beyond_ascii(vector.ends, vector.heap, vector.count, $0) }
  }
}

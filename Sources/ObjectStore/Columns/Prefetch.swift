import CScan

/// Hints for the processor about memory that will be read soon. The vectors of a column lie apart
/// from each other, so no processor sees by itself where a scan goes next.
enum Prefetch {
  @inline(__always)
  static func ask(_ place: UnsafeRawPointer?, bytes: Int) {
    if let place = unsafe place { unsafe scan_prefetch(place, bytes) }
  }
}

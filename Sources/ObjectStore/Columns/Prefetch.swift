import CScan
import Storage

/// Hints for the processor about memory that will be read soon. The vectors of a column lie apart
/// from each other, so no processor sees by itself where a scan goes next.
enum Prefetch {
  @inline(__always)
  static func ask(_ place: UnsafeRawPointer?, bytes: Int) {
    if let place = unsafe place { unsafe scan_prefetch(place, bytes) }
  }

  /// The vector of `column` in `cluster`, as far as its kind says how large it is.
  @inline(__always)
  static func vector(_ column: ColumnInfo, of cluster: Cluster, in source: NodeSource) {
    let bytes: Int
    switch column.kind {
    case .double, .date: bytes = cluster.count &* 8
    case .float: bytes = cluster.count &* 4
    default: bytes = cluster.count
    }
    unsafe ask(source.place(of: cluster.reference(column.key)), bytes: 32 &+ bytes)
  }
}

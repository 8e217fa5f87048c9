import Platform
import Storage

/// A leaf of a table: the keys of up to 256 objects in rising order, and a vector per column.
///
/// Data: Int64 base key, then an offset per row of `width` bits (0: the keys are base, base + 1,
/// ...). Reference i is the vector of column i; columns beyond the references, and references to
/// nothing, hold defaults in every row.
@frozen
public struct Cluster {
  public let node: Node

  @inlinable @inline(__always)
  public init(node: Node) { self.node = node }

  /// Objects in it.
  @inlinable @inline(__always)
  public var count: Int { node.count }

  @inlinable @inline(__always)
  public var baseKey: Int64 { unsafe node.data.load(as: Int64.self) }

  /// Whether the keys follow each other without a gap.
  @inlinable @inline(__always)
  public var isDense: Bool { node.width == 0 }

  /// The key of the object in `row`.
  @inlinable @inline(__always)
  public func key(_ row: Int) -> ObjectKey {
    let width = node.width
    if width == 0 { return ObjectKey(rawValue: baseKey &+ Int64(row)) }
    let offset = unsafe VectorMath.offset(node.data + 8, width: width, row)
    return ObjectKey(rawValue: baseKey &+ Int64(bitPattern: offset))
  }

  /// The row of the object with that key, or nil.
  @inlinable @inline(__always)
  public func row(of key: ObjectKey) -> Int? {
    let distance = key.rawValue &- baseKey
    if node.width == 0 {
      return UInt64(bitPattern: distance) < UInt64(node.count) ? Int(distance) : nil
    }
    return sparseRow(of: distance)
  }

  @usableFromInline
  func sparseRow(of distance: Int64) -> Int? {
    if distance < 0 { return nil }
    let row = lowerBound(distance)
    guard row < node.count else { return nil }
    let found = unsafe VectorMath.offset(node.data + 8, width: node.width, row)
    return found == UInt64(distance) ? row : nil
  }

  /// The first row whose key is at least base + `distance`, in a cluster that is not dense.
  private func lowerBound(_ distance: Int64) -> Int {
    let offsets = unsafe node.data + 8
    let width = node.width
    return (0..<node.count).partitionPoint {
      unsafe VectorMath.offset(offsets, width: width, $0) < UInt64(distance)
    }
  }

  /// Where the vector of `column` is; none if all its rows hold the default.
  @inlinable @inline(__always)
  public func reference(_ column: ColumnKey) -> NodeReference {
    let slot = Int(column.rawValue)
    return slot < node.referenceCount ? node.reference(slot) : .none
  }

  /// The rows of `column`, which holds values of that kind.
  @inlinable @inline(__always)
  public func vector(
    _ column: ColumnKey, of kind: ValueKind, in source: NodeSource
  ) throws(StorageError) -> ColumnVector {
    let vector = try ColumnVector(reference(column), of: kind, in: source)
    if vector.count > count {
      throw source.corrupt(reference(column), "\(count) rows were expected at most")
    }
    return vector
  }
}

/// Where an object is: good for one version, and within a write transaction until its next change.
@frozen
public struct ObjectPosition {
  public let cluster: Cluster
  public let row: Int

  @inlinable @inline(__always)
  public init(cluster: Cluster, row: Int) {
    self.cluster = cluster
    self.row = row
  }

  @inlinable
  public var key: ObjectKey { cluster.key(row) }
}

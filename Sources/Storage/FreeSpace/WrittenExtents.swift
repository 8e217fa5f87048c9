import Platform

/// Where the commits after some version have put their nodes, by the log of a later version.
///
/// Every node of that later version which is newer than the first one lies in one of the extents.
/// The extents may hold other things too. So who looks for such nodes does not have to look at the
/// others to see how old they are.
struct WrittenExtents {
  /// Ascending; none overlap or touch.
  private var extents: ContiguousArray<Extent> = []

  /// Reads the log that `index` names. Nil if it does not reach back to `version`, or to the first
  /// one, which was written before there was a log.
  ///
  /// Of everything a copy is checked anew: what has been verified before may have been read from
  /// the disk again since a flush has failed.
  ///
  /// - Throws: `.corrupt`.
  init?(
    after version: Version, index reference: NodeReference, _ source: NodeSource
  ) throws(StorageError) {
    let copy = try source.verifiedCopy(reference)
    defer { copy.deallocate() }
    let index = try FreeSpaceIndex(copy.node, reference, source)
    guard version > .zero, index.start <= version else { return nil }
    for chunk in index.chunks where chunk.lastVersion > version {
      let copy = try source.verifiedCopy(chunk.reference)
      defer { copy.deallocate() }
      try add(try index.bytes(of: chunk, in: copy.node), after: version)
    }
    try add(index.tailBytes, after: version)
    join()
  }

  private mutating func add(
    _ operations: UnsafeRawBufferPointer, after version: Version
  ) throws(StorageError) {
    try FreeSpaceIndex.forEach(operations, after: version) { operation, _ in
      if operation.kind == .allocate { extents.append(operation.extent) }
    }
  }

  private mutating func join() {
    extents.sort { $0.offset < $1.offset }
    var count = 0
    for extent in extents {
      if count > 0, extents[count - 1].end >= extent.offset {
        let end = max(extents[count - 1].end, extent.end)
        extents[count - 1].length = end - extents[count - 1].offset
      } else {
        extents[count] = extent
        count += 1
      }
    }
    extents.removeLast(extents.count - count)
  }

  /// Whether a node that begins at `offset` may be one of them.
  func contains(_ offset: UInt64) -> Bool {
    let place = extents.indices.partitionPoint { extents[$0].end <= offset }
    return place < extents.count && extents[place].offset <= offset
  }
}

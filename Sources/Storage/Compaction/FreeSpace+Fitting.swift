extension FreeSpace {
  /// Which of the targets find a hole before the boundary, if they are placed in order: to move the
  /// others would only take them from one place near the end to another.
  func fitting(
    _ targets: [RelocationScan.Target], below boundary: UInt64
  ) throws(StorageError) -> [RelocationScan.Target] {
    var holes: [Extent] = []
    var fitting: [RelocationScan.Target] = []
    for target in targets {
      guard let hole = try takeBest(fitting: target.byteSize, below: boundary) else { continue }
      holes.append(hole)
      fitting.append(target)
    }
    for hole in holes { try add(hole) }
    return fitting
  }
}

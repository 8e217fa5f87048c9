/// What a power loss may leave of a file: the flushed bytes, and any subset, in any order, of the
/// 512-byte sectors written since, each of them possibly torn.
public struct CrashPlan: Sendable {
  public enum Operation: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case resize(Int)
  }

  public static let sectorSize = 512
  public static let blockSize = 4096

  /// One sector's worth of a write.
  public struct Sector: Sendable {
    /// Offset in the file; within one sector.
    public var offset: Int
    public var bytes: [UInt8]
  }

  public var base: [UInt8]
  public var operations: [Operation]

  public init(base: [UInt8], operations: [Operation]) {
    self.base = base
    self.operations = operations
  }

  /// All writes, cut at sector boundaries, in the order in which they were made.
  public var sectors: [Sector] {
    var sectors: [Sector] = []
    for case .write(let offset, let bytes) in operations {
      var start = 0
      while start < bytes.count {
        let place = offset + start
        let count = min(bytes.count - start, Self.sectorSize - place % Self.sectorSize)
        sectors.append(Sector(offset: place, bytes: Array(bytes[start..<start + count])))
        start += count
      }
    }
    return sectors
  }

  /// The sizes that the file may have: the flushed one and those of later changes.
  public var sizes: [Int] {
    var sizes = [base.count]
    for operation in operations {
      switch operation {
      case .resize(let size): sizes.append(size)
      case .write(let offset, let bytes): sizes.append(max(sizes.last!, offset + bytes.count))
      }
    }
    return sizes
  }

  /// The file when everything reached the disk.
  public func everything() -> [UInt8] {
    var image = base
    for operation in operations { operation.apply(to: &image) }
    return image
  }

  /// On some disks a power loss while a block is being written destroys all of it, also the bytes
  /// that were not being changed. Some of its sectors are as they were, the others hold anything.
  public static func destroy(
    block: Int, of image: inout [UInt8], using random: inout some RandomNumberGenerator
  ) {
    let start = block * blockSize
    let end = min(start + blockSize, image.count)
    guard start < end else { return }
    for sector in stride(from: start, to: end, by: sectorSize)
    where Bool.random(using: &random) {
      let value: UInt8 = Bool.random(using: &random) ? 0 : .random(in: 0...255, using: &random)
      for offset in sector..<min(sector + sectorSize, end) { image[offset] = value }
    }
  }

  /// The file when the given sectors reached the disk, in the given order.
  ///
  /// - Parameters:
  ///   - chosen: positions in `sectors`.
  ///   - size: the size that the file system remembers.
  ///   - tornAt: of the last chosen sector only this many bytes arrived.
  public func image(
    chosen: [Int], of sectors: [Sector], size: Int, tornAt: Int? = nil
  ) -> [UInt8] {
    var image = base
    if image.count < size {
      image += [UInt8](repeating: 0, count: size - image.count)
    } else if image.count > size {
      image.removeLast(image.count - size)
    }
    for (position, index) in chosen.enumerated() {
      let sector = sectors[index]
      var count = min(sector.bytes.count, image.count - sector.offset)
      if let tornAt, position == chosen.count - 1 { count = min(count, tornAt) }
      guard count > 0 else { continue }
      unsafe image.withUnsafeMutableBytes { target in
        unsafe sector.bytes.withUnsafeBytes { source in
          unsafe target.baseAddress!.advanced(by: sector.offset).copyMemory(
            from: source.baseAddress!, byteCount: count)
        }
      }
    }
    return image
  }
}

extension CrashPlan.Operation {
  public func apply(to image: inout [UInt8]) {
    switch self {
    case .resize(let size): Self.resize(&image, to: size)
    case .write(let offset, let bytes):
      if image.count < offset + bytes.count { Self.resize(&image, to: offset + bytes.count) }
      unsafe image.withUnsafeMutableBytes { target in
        unsafe bytes.withUnsafeBytes { source in
          guard let start = source.baseAddress else { return }
          unsafe (target.baseAddress! + offset).copyMemory(from: start, byteCount: bytes.count)
        }
      }
    }
  }

  private static func resize(_ image: inout [UInt8], to size: Int) {
    if size < image.count {
      image.removeLast(image.count - size)
    } else {
      image += [UInt8](repeating: 0, count: size - image.count)
    }
  }
}

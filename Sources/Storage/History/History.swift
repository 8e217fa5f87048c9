/// What the commits between two versions touched, as opaque bytes of the layer above.
///
/// Each commit adds an entry. An entry is dropped as soon as no pinned version lies before its end;
/// two neighbours are merged when no pinned version lies between them, older ones into larger ones,
/// so that the history under one old reader grows with what was touched and not with the number of
/// commits.
///
/// Index node: `count` entries of 24 bytes {UInt64 from, UInt64 to, UInt32 bytes, UInt32 reference
/// index, or all ones when the bytes are inline}, then the inline bytes in order.
public struct HistoryEntry: Sendable {
  /// The entry covers what happened after this version...
  public var from: Version
  /// ...up to and including this one.
  public var to: Version
  public var bytes: [UInt8]
}

/// Merges the bytes of two adjacent entries.
public typealias HistoryMerge =
  @Sendable (_ older: UnsafeRawBufferPointer, _ newer: UnsafeRawBufferPointer) -> [UInt8]

enum History {
  static let entrySize = 24
  /// What is inline is written anew with every commit.
  static let inlineSizeMax = 256
  static let isInline = UInt32.max

  /// All entries of an index node, oldest first.
  static func forEach(
    source: NodeSource, index: NodeReference,
    _ body: (
      _ from: Version, _ to: Version, _ bytes: UnsafeRawBufferPointer, _ node: NodeReference
    ) throws(StorageError) -> Void
  ) throws(StorageError) {
    if index.isNone { return }
    let node = try source.node(index)
    guard node.kind == .historyIndex, node.count * entrySize <= node.dataSize else {
      throw source.corrupt(index, "the history index was expected")
    }
    var inline = node.count * entrySize
    for entry in 0..<node.count {
      let place = node.data + entry * entrySize
      let from = Version(place.load(as: UInt64.self))
      let to = Version(place.load(fromByteOffset: 8, as: UInt64.self))
      let size = Int(place.load(fromByteOffset: 16, as: UInt32.self))
      let reference = place.load(fromByteOffset: 20, as: UInt32.self)
      if reference == isInline {
        guard inline + size <= node.dataSize else {
          throw source.corrupt(index, "a history entry within its node was expected")
        }
        try body(
          from, to, UnsafeRawBufferPointer(start: node.data + inline, count: size), .none)
        inline += size
      } else {
        guard Int(reference) < node.referenceCount else {
          throw source.corrupt(index, "a reference to a history entry was expected")
        }
        let child = try source.node(node.reference(Int(reference)))
        guard child.kind == .historyEntry, size <= child.dataSize else {
          throw source.corrupt(node.reference(Int(reference)), "a history entry was expected")
        }
        try body(
          from, to, UnsafeRawBufferPointer(start: child.data, count: size),
          node.reference(Int(reference)))
      }
    }
  }

  /// The bytes of the entries that end after `version`. Reads the index only.
  static func size(
    source: NodeSource, index: NodeReference, after version: Version
  ) throws(StorageError) -> Int {
    if index.isNone { return 0 }
    let node = try source.node(index)
    guard node.kind == .historyIndex, node.count * entrySize <= node.dataSize else {
      throw source.corrupt(index, "the history index was expected")
    }
    var total = 0
    for entry in 0..<node.count {
      let place = node.data + entry * entrySize
      if Version(place.load(fromByteOffset: 8, as: UInt64.self)) > version {
        total += Int(place.load(fromByteOffset: 16, as: UInt32.self))
      }
    }
    return total
  }

  private struct Item {
    var from: Version
    var to: Version
    var bytes: UnsafeRawBufferPointer
    var node: NodeReference
    var owned: [UInt8]?
    var size: Int { owned?.count ?? bytes.count }

    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
      if let owned { return owned.withUnsafeBytes(body) }
      return body(bytes)
    }
  }

  /// The index of the version after `base`: drops what no pin needs, merges, adds `bytes`.
  ///
  /// - Parameters:
  ///   - pins: ascending, the newest version (`base`) included.
  ///   - boundary: entries at or beyond it are written anew.
  static func append(
    _ bytes: [UInt8], base: Version, pins: [Version], index: NodeReference, writer: NodeWriter,
    merge: HistoryMerge?, movingFrom boundary: UInt64 = .max
  ) throws(StorageError) -> NodeReference {
    let oldest = pins.first ?? base
    if bytes.count <= inlineSizeMax, try isUnneeded(index, by: oldest, writer.source) {
      try writer.release(index)
      return writeOnly(bytes, base: base, writer: writer).reference
    }
    var items: [Item] = []
    let kept = index.isNone ? 0 : try writer.source.node(index).count
    if kept > 0 {
      items.reserveCapacity(kept + 1)
      try forEach(source: writer.source, index: index) {
        (from, to, bytes, node) throws(StorageError) in
        if to <= oldest {
          try writer.release(node)
        } else if node.offset >= boundary {
          items.append(Item(from: from, to: to, bytes: bytes, node: .none, owned: Array(bytes)))
          try writer.release(node)
        } else {
          items.append(Item(from: from, to: to, bytes: bytes, node: node))
        }
      }
    }
    if let merge { try mergeTail(&items, pins: pins, writer: writer, merge: merge) }
    items.append(
      Item(
        from: base, to: base.next, bytes: UnsafeRawBufferPointer(start: nil, count: 0), node: .none,
        owned: bytes))
    let node = write(items, writer: writer)
    try writer.release(index)
    return node.reference
  }

  /// Whether no pinned version needs any of the entries, and none has a node of its own: what most
  /// commits find.
  private static func isUnneeded(
    _ index: NodeReference, by oldest: Version, _ source: NodeSource
  ) throws(StorageError) -> Bool {
    if index.isNone { return true }
    let node = try source.node(index)
    guard node.kind == .historyIndex, node.referenceCount == 0, node.count > 0,
      node.count * entrySize <= node.dataSize
    else { return false }
    let last = node.data + (node.count - 1) * entrySize
    return Version(last.load(fromByteOffset: 8, as: UInt64.self)) <= oldest
  }

  /// An index of one entry, for the commit on `base`, inline.
  private static func writeOnly(
    _ bytes: [UInt8], base: Version, writer: NodeWriter
  ) -> MutableNode {
    let node = writer.make(kind: .historyIndex, count: 1, dataSize: entrySize + bytes.count)
    let place = node.data
    place.storeBytes(of: base.rawValue, as: UInt64.self)
    place.storeBytes(of: base.next.rawValue, toByteOffset: 8, as: UInt64.self)
    place.storeBytes(of: UInt32(bytes.count), toByteOffset: 16, as: UInt32.self)
    place.storeBytes(of: isInline, toByteOffset: 20, as: UInt32.self)
    bytes.withUnsafeBytes {
      if let start = $0.baseAddress {
        (place + entrySize).copyMemory(from: start, byteCount: $0.count)
      }
    }
    return node
  }

  /// Merges neighbours that no pin separates, while the older one is not much larger: every byte is
  /// merged a logarithmic number of times.
  private static func mergeTail(
    _ items: inout [Item], pins: [Version], writer: NodeWriter, merge: HistoryMerge
  ) throws(StorageError) {
    var boundary = pins.count - 1
    var position = items.count - 1
    while position > 0 {
      let between = items[position].from
      while boundary >= 0, pins[boundary] > between { boundary -= 1 }
      let isPinned = boundary >= 0 && pins[boundary] == between
      let older = items[position - 1].size
      let newer = items[position].size
      if isPinned || older > 2 * newer + 64 && items.count < 256 {
        position -= 1
        continue
      }
      let merged = items[position - 1].withBytes { old in
        items[position].withBytes { new in merge(old, new) }
      }
      try writer.release(items[position - 1].node)
      try writer.release(items[position].node)
      items[position - 1].to = items[position].to
      items[position - 1].owned = merged
      items[position - 1].node = .none
      items.remove(at: position)
      position -= 1
    }
  }

  private static func write(_ items: [Item], writer: NodeWriter) -> MutableNode {
    var references = 0
    var inline = 0
    for item in items {
      if !item.node.isNone || item.size > inlineSizeMax {
        references += 1
      } else {
        inline += item.size
      }
    }
    let node = writer.make(
      kind: .historyIndex, referenceCount: references, count: items.count,
      dataSize: items.count * entrySize + inline)
    var nextReference = 0
    var nextInline = items.count * entrySize
    for (position, item) in items.enumerated() {
      let place = node.data + position * entrySize
      place.storeBytes(of: item.from.rawValue, as: UInt64.self)
      place.storeBytes(of: item.to.rawValue, toByteOffset: 8, as: UInt64.self)
      place.storeBytes(of: UInt32(item.size), toByteOffset: 16, as: UInt32.self)
      if !item.node.isNone || item.size > inlineSizeMax {
        place.storeBytes(of: UInt32(nextReference), toByteOffset: 20, as: UInt32.self)
        node.setReference(
          nextReference, item.node.isNone ? entryNode(item, writer: writer) : item.node)
        nextReference += 1
      } else {
        place.storeBytes(of: isInline, toByteOffset: 20, as: UInt32.self)
        item.withBytes { bytes in
          if let start = bytes.baseAddress {
            (node.data + nextInline).copyMemory(from: start, byteCount: bytes.count)
          }
        }
        nextInline += item.size
      }
    }
    return node
  }

  private static func entryNode(_ item: Item, writer: NodeWriter) -> NodeReference {
    let node = writer.make(kind: .historyEntry, dataSize: item.size)
    item.withBytes { bytes in
      if let start = bytes.baseAddress {
        node.data.copyMemory(from: start, byteCount: bytes.count)
      }
    }
    return node.reference
  }
}

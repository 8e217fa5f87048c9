// Finds every `Object` subclass of the program, so that `try Realm()` needs no list of types.
//
// The Swift runtime lists, for each loaded image, the section of type records. A record leads to a
// nominal type descriptor; descriptors of non-generic classes have an accessor that returns the
// class's metadata, and a cast tells whether it descends from `ObjectBase`. Layouts are those of
// the stable Swift ABI (TypeMetadataRecord, ContextDescriptor, MetadataSections).

@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateAllMetadataSections(
  _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool,
  _ context: UnsafeMutableRawPointer
)

/// The runtime's list of one image's sections: the version, three addresses, then ranges.
private enum MetadataSections {
  static let typeRecordsOffset = 4 * 8 + 2 * 16
}

private enum ContextDescriptor {
  static let kindMask: UInt32 = 0x1f
  static let classKind: UInt32 = 16
  static let genericFlag: UInt32 = 0x80
  static let accessorOffset = 12
}

enum ClassDiscovery {
  /// All non-generic subclasses of `ObjectBase` in the program, in the order of the images.
  ///
  /// Costs about a millisecond for two thousand type records, once.
  static let allClasses: [ObjectBase.Type] = {
    var found: [ObjectBase.Type] = []
    unsafe withUnsafeMutablePointer(to: &found) { context in
      unsafe enumerateAllMetadataSections(
        { sections, context in
          let found = unsafe context.assumingMemoryBound(to: [ObjectBase.Type].self)
          unsafe ClassDiscovery.collect(from: sections, into: &found.pointee)
          return true
        }, unsafe context)
    }
    return found
  }()

  private static func collect(
    from sections: UnsafeRawPointer, into found: inout [ObjectBase.Type]
  ) {
    let range = unsafe sections + MetadataSections.typeRecordsOffset
    let start = unsafe UnsafeRawPointer(bitPattern: range.load(as: UInt.self))
    let byteCount = unsafe range.load(fromByteOffset: 8, as: Int.self)
    guard var record = unsafe start else { return }
    let end = unsafe record + byteCount
    while unsafe record < end {
      if let type = unsafe objectClass(at: record) { found.append(type) }
      unsafe record += 4
    }
  }

  private static func objectClass(at record: UnsafeRawPointer) -> ObjectBase.Type? {
    guard let descriptor = unsafe descriptor(of: record) else { return nil }
    let flags = unsafe descriptor.load(as: UInt32.self)
    guard flags & ContextDescriptor.kindMask == ContextDescriptor.classKind,
      flags & ContextDescriptor.genericFlag == 0
    else { return nil }
    let field = unsafe descriptor + ContextDescriptor.accessorOffset
    let offset = unsafe Int(field.load(as: Int32.self))
    guard offset != 0 else { return nil }
    // A non-generic accessor takes the request (0: complete metadata) and returns the metadata
    // first; both conventions use the same registers for that.
    typealias Accessor = @convention(c) (Int) -> UnsafeRawPointer
    let accessor = unsafe unsafeBitCast(field + offset, to: Accessor.self)
    let metadata = unsafe accessor(0)
    // Classes of C libraries pass every cast, as the runtime knows nothing of their ancestors; they
    // have a kind where Swift classes have zero.
    guard unsafe metadata.load(as: UInt.self) == 0 else { return nil }
    return unsafe unsafeBitCast(metadata, to: Any.Type.self) as? ObjectBase.Type
  }

  /// The descriptor that a type record points to, directly or through an indirect slot.
  private static func descriptor(of record: UnsafeRawPointer) -> UnsafeRawPointer? {
    let relative = unsafe record.load(as: Int32.self)
    guard relative != 0 else { return nil }
    let kind = relative & 3
    let target = unsafe record + Int(relative & ~3)
    switch kind {
    case 0: return unsafe target
    case 1: return unsafe target.load(as: UnsafeRawPointer?.self)
    default: return nil
    }
  }
}

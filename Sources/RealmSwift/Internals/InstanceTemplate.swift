import CRuntime
@_spi(Reflection) import Swift

// Accessors are made by the hundred thousand, one for each object that a loop looks at. Running the
// class's initialiser for each would make default values only to throw them away, and runs the
// user's code. Instead one accessor is made per class and schema, and its bytes are what every
// other one starts from: attached `@Persisted` properties hold no references, and neither do the
// fields of `ObjectBase` before the object has a row.
//
// That is so for classes whose only stored properties are `@Persisted`. Others are initialised.

/// The layout of class metadata on platforms without Objective-C.
private enum ClassMetadata {
  static let instanceSize = 24
  static let instanceAlignmentMask = 28
}

/// What accessors of a class are copied from.
///
/// Invariant: `bytes` has what follows the header of an instance whose size is `size`, as the
/// metadata says.
struct InstanceTemplate {
  /// Every object begins with its class and its reference count.
  private static let headerSize = 16

  private let metadata: UnsafeRawPointer
  private let size: Int
  private let alignmentMask: Int
  private let bytes: UnsafeMutableRawPointer

  /// Nil if accessors of the class cannot be copied.
  init?(_ info: ClassInfo, columns: [UInt32]) {
    guard info.isCopyable else { return nil }
    let object = info.type.init()
    object._attachFields(info, columns)
    metadata = unsafeBitCast(info.type, to: UnsafeRawPointer.self)
    size = Self.instanceSize(info.type)
    let mask = metadata.load(fromByteOffset: ClassMetadata.instanceAlignmentMask, as: UInt16.self)
    alignmentMask = Int(mask)
    bytes = .allocate(byteCount: size - Self.headerSize, alignment: 16)
    let start = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) + Self.headerSize
    bytes.copyMemory(from: start, byteCount: size - Self.headerSize)
    withExtendedLifetime(object) {}
  }

  func deallocate() { bytes.deallocate() }

  @inline(__always)
  func makeObject() -> ObjectBase {
    guard let object = holdfast_allocate_object(metadata, size, alignmentMask) else {
      fatalError("out of memory")
    }
    (object + Self.headerSize).copyMemory(from: bytes, byteCount: size - Self.headerSize)
    return Unmanaged<ObjectBase>.fromOpaque(object).takeRetainedValue()
  }

  private static func instanceSize(_ type: ObjectBase.Type) -> Int {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    return Int(metadata.load(fromByteOffset: ClassMetadata.instanceSize, as: UInt32.self))
  }

  /// Whether the class stores nothing but `@Persisted` properties and what `ObjectBase` does, and
  /// its size in the metadata covers them closely.
  static func isCopyable(_ type: ObjectBase.Type) -> Bool {
    var own = 0
    var last = 0
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      _, offset, type, _ in
      if !(type is any PersistedField.Type) { own += 1 }
      last = max(last, offset)
      return true
    }
    let size = instanceSize(type)
    return own == baseFields.count && baseFields.first == headerSize && size > last
      && size < last + 4096
  }

  /// The offsets of the fields of `ObjectBase`.
  private static let baseFields: [Int] = {
    var offsets: [Int] = []
    _ = _forEachField(of: ObjectBase.self, options: _EachFieldOptions(rawValue: 1)) {
      _, offset, _, _ in
      offsets.append(offset)
      return true
    }
    return offsets
  }()
}

import CRuntime
@_spi(Reflection) import Swift

// Accessors are made by the hundred thousand, one for each object that a loop looks at. Running the
// class's initialiser for each would make default values only to throw them away, and runs the
// user's code. Instead one accessor is made per class and realm, and its bytes are what every other
// one starts from: attached `@Persisted` properties hold no references, and neither do the fields of
// `ObjectBase` before the object has a row.
//
// That is so for classes whose only stored properties are `@Persisted`. Others are initialised.

/// The layout of class metadata on platforms without Objective-C.
private enum ClassMetadata {
  static let instanceSize = 24
  static let instanceAlignmentMask = 28
}

enum InstanceTemplate {
  /// Every object begins with its class and its reference count.
  private static let headerSize = 16

  /// The bytes behind the header of an accessor of the class; nil if it cannot be copied.
  static func make(_ info: ClassInfo, binding: TableBinding) -> UnsafeRawBufferPointer? {
    guard isCopyable(info) else { return nil }
    let object = info.type.init()
    object._attachFields(binding)
    let size = instanceSize(info.type) - headerSize
    let image = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    let start = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) + headerSize
    image.copyMemory(from: UnsafeRawBufferPointer(start: start, count: size))
    withExtendedLifetime(object) {}
    return UnsafeRawBufferPointer(image)
  }

  /// An accessor out of the bytes.
  static func makeObject(
    _ type: ObjectBase.Type, from image: UnsafeRawBufferPointer
  ) -> ObjectBase {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let mask = metadata.load(fromByteOffset: ClassMetadata.instanceAlignmentMask, as: UInt16.self)
    guard let object = holdfast_allocate_object(metadata, headerSize + image.count, Int(mask))
    else { fatalError("out of memory") }
    (object + headerSize).copyMemory(from: image.baseAddress!, byteCount: image.count)
    return Unmanaged<ObjectBase>.fromOpaque(object).takeRetainedValue()
  }

  private static func instanceSize(_ type: ObjectBase.Type) -> Int {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    return Int(metadata.load(fromByteOffset: ClassMetadata.instanceSize, as: UInt32.self))
  }

  /// Whether the class stores nothing but `@Persisted` properties and what `ObjectBase` does, and
  /// its size in the metadata covers them closely.
  private static func isCopyable(_ info: ClassInfo) -> Bool {
    var own = 0
    var last = 0
    _ = _forEachField(of: info.type, options: _EachFieldOptions(rawValue: 1)) {
      _, offset, type, _ in
      if !(type is any PersistedField.Type) { own += 1 }
      last = max(last, offset)
      return true
    }
    let size = instanceSize(info.type)
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

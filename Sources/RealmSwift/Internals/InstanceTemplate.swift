import CRuntime
@_spi(Reflection) import Swift

// Accessors are made by the hundred thousand, one for each object that a loop looks at. Running the
// class's initialiser for each would make default values only to throw them away, and runs the
// user's code. Instead one instance is made per class and process, and its bytes are what every
// accessor starts from: attached `@Persisted` properties hold no references, and neither do the
// fields of `ObjectBase` before the object has a row.
//
// That is so for classes whose only stored properties are `@Persisted`. Others are initialised.

/// Where class metadata has what, on platforms without Objective-C.
struct ClassLayout {
  /// Every object begins with its class and its reference count.
  static let headerSize = 16

  var instanceSizeOffset = 24
  var instanceAlignmentMaskOffset = 28

  func instanceSize(_ type: ObjectBase.Type) -> Int {
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    return unsafe Int(metadata.load(fromByteOffset: instanceSizeOffset, as: UInt32.self))
  }

  func alignmentMask(_ type: ObjectBase.Type) -> Int {
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    return unsafe Int(metadata.load(fromByteOffset: instanceAlignmentMaskOffset, as: UInt16.self))
  }
}

/// What accessors of a class are copied from.
///
/// Invariant: `bytes` has what follows the header of an instance whose size is `size`, as the
/// metadata says.
@safe struct InstanceTemplate {
  private let metadata: UnsafeRawPointer
  private let size: Int
  private let alignmentMask: Int
  private let bytes: UnsafeMutableRawPointer

  /// Nil if accessors of the class cannot be copied.
  ///
  /// - Parameter sample: an instance that nothing else uses. Its properties lose their values.
  init?(_ sample: ObjectBase, _ properties: [PropertyInfo]) {
    let type = type(of: sample)
    guard Self.isCopyable(type) else { return nil }
    for property in properties {
      sample._withField(at: property.offset) { property.field.attach($0, column: 0) }
    }
    self.init(copying: sample)
    // The user's class may look at them when the sample is freed.
    for property in properties {
      sample._withField(at: property.offset) { property.field.detach($0) }
    }
  }

  /// The same for accessors whose properties have these columns.
  func with(_ info: ClassInfo, columns: [UInt32]) -> InstanceTemplate {
    let object = makeObject()
    object._attachFields(info, columns)
    defer {
      for field in info.fields where field.offset != PropertyInfo.nowhere {
        object._withField(at: field.offset) { field.type.detach($0) }
      }
    }
    return InstanceTemplate(copying: object)
  }

  private init(copying object: ObjectBase) {
    unsafe metadata = unsafeBitCast(type(of: object), to: UnsafeRawPointer.self)
    size = ClassLayout().instanceSize(type(of: object))
    alignmentMask = ClassLayout().alignmentMask(type(of: object))
    unsafe bytes = .allocate(byteCount: size - ClassLayout.headerSize, alignment: 16)
    let start =
      unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()) + ClassLayout.headerSize
    unsafe bytes.copyMemory(from: start, byteCount: size - ClassLayout.headerSize)
    withExtendedLifetime(object) {}
  }

  func deallocate() { unsafe bytes.deallocate() }

  /// A copy of an object that has no values.
  static func copy(of object: ObjectBase) -> ObjectBase {
    let template = InstanceTemplate(copying: object)
    defer { template.deallocate() }
    return template.makeObject()
  }

  @inline(__always)
  func makeObject() -> ObjectBase {
    guard let object = unsafe holdfast_allocate_object(metadata, size, alignmentMask) else {
      fatalError("out of memory")
    }
    unsafe (object + ClassLayout.headerSize).copyMemory(
      from: bytes, byteCount: size - ClassLayout.headerSize)
    return unsafe Unmanaged<ObjectBase>.fromOpaque(object).takeRetainedValue()
  }

  /// Whether the class stores nothing but `@Persisted` properties and what `ObjectBase` does, and
  /// its size in the metadata covers them closely.
  private static func isCopyable(_ type: ObjectBase.Type) -> Bool {
    var own = 0
    var last = 0
    _ = unsafe _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      _, offset, type, _ in
      if !(type is any PersistedField.Type) { own += 1 }
      last = max(last, offset)
      return true
    }
    let size = ClassLayout().instanceSize(type)
    return own == baseFields.count && baseFields.first == ClassLayout.headerSize && size > last
      && size < last + 4096
  }

  /// The offsets of the fields of `ObjectBase`.
  private static let baseFields: [Int] = {
    var offsets: [Int] = []
    _ = unsafe _forEachField(of: ObjectBase.self, options: _EachFieldOptions(rawValue: 1)) {
      _, offset, _, _ in
      offsets.append(offset)
      return true
    }
    return offsets
  }()
}

import Platform
import Synchronization

// Turns key paths into names. A key path to a `@Persisted` property has no name at run time, so it
// is evaluated on an instance whose properties note that they were read; properties that lead to
// other objects return such an instance of that class.

enum KeyPathRecorder {
  // The names noted so far. Only touched while `isRecording` is held.
  nonisolated(unsafe) private static var names: [String] = []
  private static let isRecording = LockedValue(())
  private static let known = LockedValue<[AnyKeyPathBox: String]>([:])

  /// The names of the properties that the key path goes through, with dots between them.
  static func name<Root>(of keyPath: PartialKeyPath<Root>, on type: ObjectBase.Type) -> String {
    let box = AnyKeyPathBox(keyPath: keyPath)
    if let name = known.withLock({ $0[box] }) { return name }
    guard let prototype = type._recordingInstance() as? Root else {
      throwRealmException("\(Root.self) is not a class of the realm.")
    }
    let recorded = isRecording.withLock { _ in
      names = []
      _ = prototype[keyPath: keyPath]
      return names.joined(separator: ".")
    }
    guard !recorded.isEmpty else {
      throwRealmException(
        "Invalid key path: \(keyPath) does not go through any @Persisted property.")
    }
    known.withLock { $0[box] = recorded }
    return recorded
  }

  /// Notes that the recording instance's property was read.
  static func touch(_ object: ObjectBase, _ column: UInt32) {
    names.append(ClassInfo.of(type(of: object)).properties[Int(column)].name)
  }

  private struct AnyKeyPathBox: Hashable, @unchecked Sendable {
    // Key paths are immutable; they are only not marked so.
    let keyPath: AnyKeyPath
  }
}

/// The names of the properties that the key path goes through, with dots between them.
public func _name<T>(for keyPath: PartialKeyPath<T>) -> String {
  guard let type = T.self as? ObjectBase.Type else {
    throwRealmException("\(T.self) is not a class of the realm.")
  }
  return KeyPathRecorder.name(of: keyPath, on: type)
}

extension ObjectBase {
  /// An instance whose properties note that they were read.
  static func _recordingInstance() -> Self {
    let object = self.init()
    for (index, property) in ClassInfo.of(self).properties.enumerated() {
      object._withField(at: property.offset) { property.field.record($0, column: UInt32(index)) }
    }
    return object
  }
}

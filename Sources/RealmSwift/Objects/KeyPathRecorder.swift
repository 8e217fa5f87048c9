import Platform
import Synchronization

// Turns key paths into names. A key path to a `@Persisted` property has no name at run time, so it
// is evaluated on an instance whose properties note that they were read; properties that lead to
// other objects return such an instance of that class.

enum KeyPathRecorder {
  // Touched only by the thread that holds `turn`.
  @safe nonisolated(unsafe) private static var names: [String] = []
  private static let turn = LockedValue(())
  /// The thread that is recording; 0: none.
  private static let recordingThread = Atomic<UInt64>(0)
  private static let known = LockedValue<[AnyKeyPathBox: String]>([:])

  /// Whether what the calling thread reads is being recorded.
  private static var isRecording: Bool {
    recordingThread.load(ordering: .relaxed) == currentThread()
  }

  /// The names of the properties that the key path goes through, with dots between them.
  static func name<Root>(of keyPath: PartialKeyPath<Root>, on type: ObjectBase.Type) -> String {
    name(of: keyPath) { type._recordingInstance() as? Root }
  }

  /// The same, starting at a prototype whose properties note that they were read.
  static func name<Root>(
    of keyPath: PartialKeyPath<Root>, prototype: () -> Root?
  ) -> String {
    let box = AnyKeyPathBox(keyPath: keyPath)
    if let name = known.withLock({ $0[box] }) { return name }
    guard let prototype = prototype() else {
      throwRealmException("\(Root.self) is not a class of the realm.")
    }
    let recorded = record { _ = prototype[keyPath: keyPath] }
    guard !recorded.isEmpty else {
      throwRealmException(
        "Invalid key path: \(keyPath) does not go through any @Persisted property.")
    }
    known.withLock { $0[box] = recorded }
    return recorded
  }

  /// What is read meanwhile. A computed property may ask for names while it is itself being read.
  private static func record(_ body: () -> Void) -> String {
    func run() -> String {
      let outer = names
      names = []
      defer { names = outer }
      body()
      return names.joined(separator: ".")
    }
    if isRecording { return run() }
    return turn.withLock { _ in
      recordingThread.store(currentThread(), ordering: .relaxed)
      defer { recordingThread.store(0, ordering: .relaxed) }
      return run()
    }
  }

  /// Notes that the recording instance's property was read.
  static func touch(_ object: ObjectBase, _ column: UInt32) {
    names.append(ClassInfo.of(type(of: object)).properties[Int(column)].name)
  }

  /// While recording: goes on along the key path, from an element of what was read last.
  static func follow<Element: ObjectBase, Value>(
    _ keyPath: KeyPath<Element, Value>, on type: Element.Type
  ) {
    if isRecording { _ = type._recordingInstance()[keyPath: keyPath] }
  }

  /// While recording: the element that a key path goes through at an index or key of a collection,
  /// which is empty then.
  static func element<Element>(of type: Element.Type = Element.self) -> Element? {
    guard isRecording else { return nil }
    if let type = type as? any OptionalProtocol.Type { return type.recordingValue as? Element }
    return (type as? ObjectBase.Type)?._recordingInstance() as? Element
  }

  private struct AnyKeyPathBox: Hashable, @unchecked Sendable {
    // Key paths are immutable; they are only not marked so.
    let keyPath: AnyKeyPath
  }
}

extension OptionalProtocol {
  fileprivate static var recordingValue: Any? { KeyPathRecorder.element(of: Wrapped.self) }
}

/// The names of the properties that the key path goes through, with dots between them.
public func _name<T>(for keyPath: PartialKeyPath<T>) -> String {
  if let type = T.self as? any ProjectionType.Type {
    return KeyPathRecorder.name(of: keyPath) { type.recordingPrototype() as? T }
  }
  guard let type = T.self as? ObjectBase.Type else {
    throwRealmException("\(T.self) is not a class of the realm.")
  }
  return KeyPathRecorder.name(of: keyPath, on: type)
}

/// The names of the properties that the key path goes through.
func _names<T>(for keyPath: PartialKeyPath<T>) -> [String] {
  if let known = KeyPathNames.components(of: keyPath) { return known }
  let components = _name(for: keyPath).split(separator: ".").map(String.init)
  KeyPathNames.remember(components, of: keyPath)
  return components
}

extension ObjectBase {
  /// An instance whose properties note that they were read.
  static func _recordingInstance() -> Self {
    let info = ClassInfo.of(self)
    let object = info.template.map { known($0.makeObject(), as: self) } ?? known(make(), as: self)
    for (index, property) in info.properties.enumerated() {
      object._withField(at: property.offset) { property.field.record($0, column: UInt32(index)) }
    }
    return object
  }
}

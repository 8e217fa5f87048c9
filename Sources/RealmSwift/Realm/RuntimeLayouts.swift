import Dispatch
@_spi(Reflection) import Swift

// The library reads a few private structures by offset: the metadata of classes, the header of
// instances, the list of a program's types, the queues of libdispatch. Each is tried here on
// something known before it is relied on, so that a program with another runtime stops with a
// message instead of reading what is not there.

enum RuntimeLayouts {
  /// Stops the program if something is laid out in another way. Looks once.
  ///
  /// - Parameter discovery: whether the program's classes have to be found.
  static func check(discovery: Bool) {
    _ = isChecked
    if discovery { _ = isDiscoveryChecked }
  }

  private static let isChecked: Bool = {
    stop(problemWithClasses() ?? problemWithQueues())
    return true
  }()

  private static let isDiscoveryChecked: Bool = {
    stop(problem(withDiscovered: ClassDiscovery.allClasses))
    return true
  }()

  private static func stop(_ problem: String?) {
    guard let problem else { return }
    throwRealmException(
      """
      This version of the library does not fit the Swift runtime that the program runs with: \
      \(problem). Build both with one version of Swift.
      """)
  }

  /// What is wrong with the layout of classes and instances.
  static func problemWithClasses(_ layout: ClassLayout = ClassLayout()) -> String? {
    var end = 0
    var start = Int.max
    _ = unsafe _forEachField(of: ObjectBase.self, options: _EachFieldOptions(rawValue: 1)) {
      _, offset, type, _ in
      func size<Field>(of _: Field.Type) -> Int { MemoryLayout<Field>.size }
      end = max(end, offset + _openExistential(type, do: size))
      start = min(start, offset)
      return true
    }
    if start != ClassLayout.headerSize {
      return "the header of an instance has \(start) bytes"
    }
    let size = layout.instanceSize(ObjectBase.self)
    if size != end { return "a class of \(end) bytes is said to have \(size)" }
    let mask = layout.alignmentMask(ObjectBase.self)
    if mask != 7 && mask != 15 { return "instances are aligned by a mask of \(mask)" }
    var copy = InstanceTemplate.copy(of: Object())
    if type(of: copy) != Object.self || !isKnownUniquelyReferenced(&copy) {
      return "an instance does not begin with its class and one reference"
    }
    return nil
  }

  /// What is wrong with the layout of queues.
  private static func problemWithQueues() -> String? {
    let first = DispatchQueue(label: "holdfast.layout")
    let second = DispatchQueue(label: "holdfast.layout")
    let concurrent = DispatchQueue(label: "holdfast.layout", attributes: .concurrent)
    if QueueIdentity(first) == QueueIdentity(second) || QueueIdentity(.main) != .main {
      return "queues cannot be told apart"
    }
    let table = QueueIdentity(first).functionTable
    if table != QueueIdentity(second).functionTable
      || table == QueueIdentity(concurrent).functionTable
    {
      return "serial queues cannot be told from concurrent ones"
    }
    return nil
  }

  static func problem(withDiscovered classes: [ObjectBase.Type]) -> String? {
    let hasOwn =
      classes.contains { $0 == ObjectBase.self } && classes.contains { $0 == Object.self }
    return hasOwn ? nil : "the list of the program's classes lacks those of the library"
  }
}

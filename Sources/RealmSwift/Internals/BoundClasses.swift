import ObjectStore
import Platform
import Storage

/// The program's classes tied to the tables of one schema. Immutable: all instances that read that
/// schema share it, frozen ones included.
final class BoundClasses: Sendable {
  let schema: StoredSchema
  let classes: [ClassInfo]
  private let byClass: [ObjectIdentifier: TableBinding]
  /// By the tables' keys; nil for classes that the program does not have.
  let byTable: [TableBinding?]
  /// Made when they are first asked for.
  private let dynamic = LockedValue<DynamicClasses?>(nil)
  /// Those of older schemas, whose bindings objects still have.
  private let olderDynamic: [DynamicClasses]

  /// Of older schemas and no longer in use, but for objects that were made with them.
  private let retired: [TableBinding]

  /// - Parameters:
  ///   - earlier: of the same classes, for an older schema. Its bindings stay in use where they
  ///     fit, as they nearly always do: tables and columns keep their keys.
  ///   - abandoned: those of cancelled writes, whose bindings are used where there is none. The
  ///     writes that follow make the same tables again.
  init(
    _ schema: StoredSchema, _ classes: [ClassInfo], earlier: BoundClasses? = nil,
    abandoned: [BoundClasses] = []
  ) {
    self.schema = schema
    self.classes = classes
    var byClass: [ObjectIdentifier: TableBinding] = [:]
    var retired = earlier?.retired ?? []
    for info in classes + NestedCollection.classes {
      let known = earlier?.byClass[ObjectIdentifier(info.type)]
      let description = schema.description.description(of: info.name)
      if let known, let description, known.fits(description) {
        byClass[ObjectIdentifier(info.type)] = known
      } else {
        if let known { retired.append(known) }
        byClass[ObjectIdentifier(info.type)] = description.map { description in
          abandoned.lazy.compactMap { $0.byClass[ObjectIdentifier(info.type)] }
            .first { $0.fits(description) } ?? TableBinding(info, description)
        }
      }
    }
    self.retired = retired
    var byTable = [TableBinding?](repeating: nil, count: schema.description.classes.count)
    for binding in byClass.values { byTable[Int(binding.table.rawValue)] = binding }
    self.byClass = byClass
    self.byTable = byTable
    olderDynamic = earlier?.allDynamic ?? []
  }

  /// The classes without the program's types.
  var dynamicClasses: DynamicClasses {
    if let known = dynamic.withLock({ $0 }) { return known }
    let made = DynamicClasses(schema.description, classes)
    return dynamic.withLock { dynamic in
      if let earlier = dynamic { return earlier }
      dynamic = made
      return made
    }
  }

  /// Whether what objects may point into is there without it, too.
  func isCovered(by others: [BoundClasses]) -> Bool {
    let known = others.flatMap { Array($0.byClass.values) + $0.retired }
    let knownDynamic = others.flatMap(\.allDynamic)
    return (Array(byClass.values) + retired).allSatisfy { one in known.contains { $0 === one } }
      && allDynamic.allSatisfy { one in knownDynamic.contains { $0 === one } }
  }

  private var allDynamic: [DynamicClasses] {
    olderDynamic + (dynamic.withLock { $0 }.map { [$0] } ?? [])
  }

  /// The class's binding, nil if the schema does not have the class.
  func binding(for type: ObjectBase.Type) -> TableBinding? { byClass[ObjectIdentifier(type)] }

  /// The binding of the table, nil if the program does not have the class.
  @inline(__always)
  func binding(for table: TableKey) -> TableBinding? {
    Int(table.rawValue) < byTable.count ? byTable[Int(table.rawValue)] : nil
  }

  fileprivate func isFor(_ schema: StoredSchema, _ classes: [ClassInfo]) -> Bool {
    self.schema === schema && self.classes.elementsEqual(classes, by: ===)
  }
}

/// Remembers what the instances of a file bound last, since they nearly always have the same
/// classes.
final class BoundClassesCache: Sendable {
  private let last = LockedValue<BoundClasses?>(nil)

  func bound(_ schema: StoredSchema, _ classes: [ClassInfo]) -> BoundClasses {
    if let known = last.withLock({ $0 }), known.isFor(schema, classes) { return known }
    // Made outside the lock: it runs the classes' initialisers, which are the user's code.
    let made = BoundClasses(schema, classes)
    last.withLock { $0 = made }
    return made
  }
}

/// The tables of what an instance reads, each with the generation that it was looked up in.
///
/// Memory of its own, so that looking costs no reference counting. Valid until `deallocate`, with a
/// place for each table of the schema: tables that came later make a new one.
@safe struct CachedTables {
  private struct Entry {
    var table: Table?
    var generation: UInt64
  }

  private let entries: UnsafeMutableBufferPointer<Entry>

  init(count: Int) {
    unsafe entries = .allocate(capacity: count)
    unsafe entries.initialize(repeating: Entry(table: nil, generation: 0))
  }

  func deallocate() { unsafe entries.deallocate() }

  /// The table, if it was looked up in the generation.
  @inline(__always)
  func table(_ key: TableKey, _ generation: UInt64) -> Table? {
    let entry = unsafe entries[place(key)]
    return entry.generation == generation ? entry.table : nil
  }

  func remember(_ table: Table, _ generation: UInt64) {
    unsafe entries[place(table.key)] = Entry(table: table, generation: generation)
  }

  @inline(__always)
  private func place(_ key: TableKey) -> Int {
    unsafe precondition(Int(key.rawValue) < entries.count, "a table that came later")
    return Int(key.rawValue)
  }
}

import ObjectStore
import Storage

/// A Swift class tied to its table as a schema describes it.
final class TableBinding: @unchecked Sendable {
  // Sendable: immutable after init; the metatypes in it are what is not formally so, and the memory
  // of the template, which is only read.
  let info: ClassInfo
  /// Whether accessors are dynamic objects, and what they lead to is, too.
  let isDynamic: Bool
  let table: TableKey
  let description: ClassDescription
  /// In the order of `info.properties`; nil for linking objects, which have no column.
  let properties: [PropertyDescription?]
  let primaryKey: PropertyDescription?
  let primaryKeyColumn: UInt32
  /// The slot of the primary key's index if it is an integer; by itself, for look-ups.
  let integerKeySlot: UInt32?
  /// What `@Persisted` properties are given as their column: the column's key, or for linking
  /// objects the property's index.
  let columns: [UInt32]
  private let indexBySlot: [Int]
  /// What every accessor of the class looks like before it has a row; nil for classes that have
  /// more in them than `@Persisted` properties.
  private let template: InstanceTemplate?

  init(_ info: ClassInfo, _ description: ClassDescription) {
    self.info = info
    isDynamic = info.isDynamic
    self.description = description
    table = description.tableKey
    properties = info.properties.map { property in
      property.description.type == .linkingObjects
        ? nil : description.property(named: property.columnName)
    }
    columns = properties.enumerated().map { index, property in
      property?.columnKey.rawValue ?? UInt32(index)
    }
    primaryKey = info.primaryKey.flatMap { [properties] in properties[$0] }
      .flatMap { $0.isPrimaryKey ? $0 : nil }
    primaryKeyColumn = primaryKey?.columnKey.rawValue ?? .max
    integerKeySlot = primaryKey.flatMap { $0.kind == .int ? $0.indexSlot : nil }
    var slots = [Int](repeating: -1, count: 1 + (columns.max().map(Int.init) ?? 0))
    for (index, property) in properties.enumerated() where property != nil {
      slots[property!.columnKey.slot] = index
    }
    indexBySlot = slots
    template = info.template?.with(info, columns: columns)
  }

  deinit { template?.deallocate() }

  /// Whether the class as a newer schema describes it is read with the same columns.
  func fits(_ description: ClassDescription) -> Bool {
    description.tableKey == table
      && zip(info.properties, properties).allSatisfy { info, property in
        info.description.type == .linkingObjects
          || description.property(named: info.columnName) == property
      }
  }

  /// An object whose properties read and write this table; its row is still to be set.
  @inline(__always)
  func makeAccessor() -> ObjectBase {
    if let template { return template.makeObject() }
    return makeInitializedAccessor()
  }

  @inline(never)
  private func makeInitializedAccessor() -> ObjectBase {
    let object = info.type.make()
    object._attachFields(info, columns)
    return object
  }

  /// The stored property behind a column.
  func property(_ column: UInt32) -> PropertyDescription { properties[index(of: column)]! }

  /// Where the links in a column go.
  func targetTable(of column: UInt32) -> TableKey { properties[index(of: column)]!.targetTable }

  /// The Swift property behind a column.
  func index(of column: UInt32) -> Int { indexBySlot[Int(column)] }

  /// The Swift name of the stored property in the column, nil if the class has none there.
  func name(of column: ColumnKey) -> String? {
    guard column.slot < indexBySlot.count, indexBySlot[column.slot] >= 0 else { return nil }
    return info.properties[indexBySlot[column.slot]].name
  }
}

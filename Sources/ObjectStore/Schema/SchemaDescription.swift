/// What a property, or an element of a collection, holds. Raw values are part of the format.
@frozen
public enum ValueKind: UInt8, Hashable, Sendable, CaseIterable {
  case int = 0
  case bool = 1
  case string = 2
  case data = 3
  case date = 4
  case float = 5
  case double = 6
  /// A link to one object.
  case object = 7
  // 8 is what the public API calls linking objects; they are not stored as a property.
  /// A value of any kind, null and links included.
  case any = 9
  case objectId = 10
  case decimal128 = 11
  case uuid = 12
}

/// Whether a property is a collection. Raw values are part of the format.
@frozen
public enum CollectionKind: UInt8, Hashable, Sendable {
  case none = 0
  case list = 1
  /// Kept like a list, in the order of `SetOrder`, without equal elements.
  case set = 2
  /// Kept as a list of values, and beside it, in a hidden column, the set of their keys: the value
  /// of the key at an index is at the same index.
  case map = 3
}

/// One property of a class: as wanted by a program, or as stored in a file.
public struct PropertyDescription: Hashable, Sendable {
  public var name: String
  public var kind: ValueKind
  public var collection: CollectionKind
  /// Of the property, or of the elements of its collection. Always true for links that are not in a
  /// list or set, and for `any`.
  public var isOptional: Bool
  public var isPrimaryKey: Bool
  public var isIndexed: Bool
  /// Whether there is an index of the words in it, for full-text search, instead.
  public var isFullText: Bool
  /// The class that an `object` property links to.
  public var linkTarget: String?
  /// Whether it holds any number of elements: a list, a set or a map.
  public var isCollection: Bool { collection != .none }
  /// `unassigned` in a description that has not come out of a file.
  public var columnKey: ColumnKey
  /// The table that `linkTarget` names; `unassigned` without one.
  public var targetTable: TableKey
  /// The hidden column of a map's keys; `unassigned` for other properties, and in a description
  /// that has not come out of a file.
  var keyColumn: ColumnKey
  /// Where the table node refers to this column's index; 0 without one.
  package var indexSlot: UInt32

  public init(
    name: String, kind: ValueKind, collection: CollectionKind = .none, isOptional: Bool = false,
    isPrimaryKey: Bool = false, isIndexed: Bool = false, isFullText: Bool = false,
    linkTarget: String? = nil
  ) {
    self.name = name
    self.kind = kind
    self.collection = collection
    let mayBeNoObject = kind == .object && (collection == .none || collection == .map)
    let alwaysOptional = kind == .any || mayBeNoObject
    self.isOptional = isOptional || alwaysOptional
    self.isPrimaryKey = isPrimaryKey
    self.isIndexed = isIndexed
    self.isFullText = isFullText
    self.linkTarget = linkTarget
    columnKey = .unassigned
    targetTable = .unassigned
    keyColumn = .unassigned
    indexSlot = 0
  }

  /// The keys of a map, as a property of their own.
  public var mapKeys: PropertyDescription {
    precondition(collection == .map, "only maps have keys")
    var keys = PropertyDescription(name: name, kind: .string, collection: .set)
    keys.columnKey = keyColumn
    return keys
  }
}

/// A hidden column of the class that is linked to: who links here through that property.
public struct BacklinkDescription: Hashable, Sendable {
  public var originTable: TableKey
  public var originColumn: ColumnKey
  /// The hidden column.
  public var columnKey: ColumnKey
}

/// One class of objects.
public struct ClassDescription: Hashable, Sendable {
  public var name: String
  /// In the order of declaration, later additions last.
  public var properties: [PropertyDescription]
  /// Whether each object belongs to one link of another object, and goes with it.
  public var isEmbedded: Bool
  /// `unassigned` in a description that has not come out of a file.
  public var tableKey: TableKey
  public internal(set) var backlinks: [BacklinkDescription]
  /// How many columns have ever been made, hidden ones included.
  var columnCount: UInt32
  /// How many places for indexes the table node has.
  var indexSlotCount: UInt32

  public init(name: String, properties: [PropertyDescription], isEmbedded: Bool = false) {
    self.name = name
    self.properties = properties
    self.isEmbedded = isEmbedded
    tableKey = .unassigned
    backlinks = []
    columnCount = 0
    indexSlotCount = 0
  }

  /// Whether a migration has removed the class. Its table is empty, and the next class that is
  /// added takes its place, since the places of the others are their keys.
  public var isRemoved: Bool { name.isEmpty }

  /// The property called `name`, if there is one.
  public func property(named name: String) -> PropertyDescription? {
    // In place: handing each description to a closure would count references to all its parts.
    for index in properties.indices where properties[index].name == name {
      return properties[index]
    }
    return nil
  }

  /// The property kept in `column`, if it is not a hidden one.
  public func property(at column: ColumnKey) -> PropertyDescription? {
    for index in properties.indices where properties[index].columnKey == column {
      return properties[index]
    }
    return nil
  }

  public var primaryKey: PropertyDescription? { properties.first { $0.isPrimaryKey } }

  /// The hidden column that holds who links here through `originColumn` of `originTable`.
  public func backlinkColumn(from originTable: TableKey, _ originColumn: ColumnKey) -> ColumnKey? {
    for index in backlinks.indices
    where backlinks[index].originTable == originTable
      && backlinks[index].originColumn == originColumn
    {
      return backlinks[index].columnKey
    }
    return nil
  }
}

/// All classes of a file, or all that a program wants of one.
public struct SchemaDescription: Hashable, Sendable {
  public var classes: [ClassDescription]
  /// The program's own number for its schema.
  public var version: UInt64

  public init(classes: [ClassDescription], version: UInt64 = 0) {
    self.classes = classes
    self.version = version
  }

  public func description(of className: String) -> ClassDescription? {
    classes.first { $0.name == className }
  }

  /// Whether there are the same classes, in the same places: one may have got that of a class which
  /// was removed. A schema that has not been read anew is not looked through.
  func hasSameClassNames(as other: SchemaDescription) -> Bool {
    classes == other.classes || classes.elementsEqual(other.classes) { $0.name == $1.name }
  }

  /// The property of a stored class that is kept in a column.
  func property(at column: ColumnKey, of table: TableKey) -> PropertyDescription? {
    let index = Int(table.rawValue)
    return index < classes.count ? classes[index].property(at: column) : nil
  }

  /// The property of a stored class with that name.
  func property(named name: String, of table: TableKey) -> PropertyDescription? {
    let index = Int(table.rawValue)
    return index < classes.count ? classes[index].property(named: name) : nil
  }

  /// The stored class with that key. Only for descriptions that come out of a file, in which a
  /// class's place is its key.
  public func description(of table: TableKey) -> ClassDescription? {
    let index = Int(table.rawValue)
    return index < classes.count ? classes[index] : nil
  }
}

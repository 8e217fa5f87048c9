import ObjectStore
import Storage
import TestSupport

/// Changes a file at random, as a program could.
struct StoreWriter {
  let writes: ObjectTransaction
  var random: SeededGenerator
  /// Whether it is about lists of few objects that are filled and emptied.
  var clearsOften = false
  /// Whether new objects have numbers, so that queries select some of them.
  var numbersNew = false
  private var keys: Int { clearsOften ? 3 : 8 }

  init(_ writes: ObjectTransaction, _ random: SeededGenerator) {
    self.writes = writes
    self.random = random
  }

  private var known: ClassDescription { writes.schema.description.description(of: "Thing")! }

  /// - Parameter count: of writes, at most.
  mutating func change(upTo count: Int) throws {
    for _ in 0..<(1 + random.below(count)) { try step() }
  }

  private func row(_ key: Int) throws -> ObjectKey? {
    try writes.table(known.tableKey).find(primaryKey: Int64(key), known.primaryKey!)
  }

  private mutating func step() throws {
    let key = random.below(keys)
    guard let row = try row(key) else {
      let new = try writes.createObject(in: known.tableKey, primaryKey: Int64(key)).key
      if numbersNew {
        let number = known.property(named: "number")!.columnKey
        try writes.setInt(Int64(random.below(100)), number, of: new, in: known.tableKey)
      }
      return
    }
    if random.below(12) == 0 { return try writes.deleteObject(row, in: known.tableKey) }
    let properties = known.properties.filter {
      !$0.isPrimaryKey && (!clearsOften || $0.collection == .list)
    }
    let property = properties[random.below(properties.count)]
    switch property.collection {
    case .none: try setProperty(property, row, known)
    case .list: try changeList(property, row)
    case .set:
      if random.below(10) == 0 {
        return try writes.listClear(property.columnKey, of: row, in: known.tableKey)
      }
      guard let value = try member(property) else { return }
      if random.below(3) == 0 {
        try writes.setRemove([value], property.columnKey, of: row, in: known.tableKey)
      } else {
        try writes.setInsert([value], property.columnKey, of: row, in: known.tableKey)
      }
    case .map: try changeMap(property, row)
    }
  }

  /// Of numbers often such as equal each other and are not the same.
  private mutating func member(_ property: PropertyDescription) throws -> StoredValue? {
    guard random.below(4) > 0 else { return try value(property) }
    switch property.kind {
    case .double: return .double(Self.reals[random.below(Self.reals.count)])
    case .decimal128: return .decimal128(Self.decimals[random.below(Self.decimals.count)])
    case .any:
      switch random.below(5) {
      case 0: return .int(Int64(random.below(2)))
      case 1: return .double(Self.reals[random.below(Self.reals.count)])
      case 2: return .decimal128(Self.decimals[random.below(Self.decimals.count)])
      case 3: return .float(random.below(2) == 0 ? 1 : 1.5)
      default: return try value(property)
      }
    default: return try value(property)
    }
  }

  private static let reals = [0, -0.0, .nan, -.nan, 1, 1.5]
  /// 0, minus 0, 0.0, 1, 1.0, 1.5, 1.50 and not-a-number.
  private static let decimals = [
    decimal(0, 0), DecimalBits(low: 0, high: 0xB040 << 48), decimal(0, -1), decimal(1, 0),
    decimal(10, -1), decimal(15, -1), decimal(150, -2), DecimalBits(low: 0, high: 0x7C00 << 48),
  ]

  private static func decimal(_ coefficient: UInt64, _ exponent: Int) -> DecimalBits {
    DecimalBits(low: coefficient, high: UInt64(0x3040 + 2 * exponent) << 48)
  }

  private mutating func value(_ property: PropertyDescription) throws -> StoredValue? {
    let number = Int64(random.below(100))
    switch property.kind {
    case .int: return property.isOptional && number < 20 ? .null : .int(number)
    case .bool: return .bool(number < 50)
    case .string: return property.isOptional && number < 20 ? .null : .string("s\(number % 10)")
    case .data: return .data([UInt8(number)])
    case .date: return .date(Double(number) * 86_400.25)
    case .float: return .float(Float(number) / 4)
    case .double: return .double(Double(number) / 8)
    case .objectId: return .objectId(ObjectIdBytes(head: UInt64(number), tail: 7))
    case .uuid:
      return number < 20 ? .null : .uuid(UUIDBytes(head: UInt64(number), tail: 9))
    case .decimal128: return .decimal128(DecimalBits(low: UInt64(number), high: 0x3040 << 48))
    case .object:
      if number < 15, property.collection == .none || property.collection == .map { return .null }
      guard let target = try row(random.below(keys)) else { return nil }
      return .link(known.tableKey, target)
    case .any:
      if number < 15 { return .null }
      if number < 30, let target = try row(random.below(keys)) {
        return .link(known.tableKey, target)
      }
      return number < 60 ? .int(number) : .string("a\(number)")
    }
  }

  private var part: ClassDescription { writes.schema.description.description(of: "Part")! }

  private func isPart(_ property: PropertyDescription) -> Bool {
    property.targetTable == part.tableKey
  }

  private mutating func setProperty(
    _ property: PropertyDescription, _ row: ObjectKey, _ known: ClassDescription
  ) throws {
    let table = known.tableKey
    if isPart(property) {
      let stored = try writes.table(table)
      let old = try stored.link(property.columnKey, at: try stored.find(row)!)
      if random.below(5) == 0 { return try writes.setNull(property.columnKey, of: row, in: table) }
      if let old, random.below(3) > 0 { return try fillPart(old) }
      return try fillPart(try writes.createEmbedded(property.columnKey, of: row, in: table))
    }
    if property.kind == .any, random.below(3) == 0 { return try setNested(property, row) }
    guard let value = try value(property) else { return }
    try writes.set(value, property.columnKey, of: row, in: table)
  }

  private mutating func fillPart(_ row: ObjectKey) throws {
    let table = part.tableKey
    switch random.below(4) {
    case 0: try writes.set(.string("t\(random.below(9))"), column("title"), of: row, in: table)
    case 1: try writes.setInt(Int64(random.below(50)), column("count"), of: row, in: table)
    case 2:
      let tags = try writes.list(column("tags"), of: row, in: table)
      try writes.listInsert(
        .string("g\(random.below(9))"), at: random.below(tags.count + 1), column("tags"),
        of: row, in: table)
    default:
      let target = try self.row(random.below(keys))
      try writes.setLink(target, column("owner"), of: row, in: table)
    }
  }

  private func column(_ name: String) -> ColumnKey { part.property(named: name)!.columnKey }

  /// A list or a map among values of any kind, or a change of the one that is there.
  private mutating func setNested(_ property: PropertyDescription, _ row: ObjectKey) throws {
    let stored = try writes.table(known.tableKey)
    let old = try stored.value(of: property, at: try stored.find(row)!)
    if case .link(let table, let nested) = old,
      let description = writes.schema.description.description(of: table), description.isEmbedded
    {
      return try fillNested(nested, description)
    }
    let (nested, description) = try makeNested()
    try writes.set(
      .link(description.tableKey, nested), property.columnKey, of: row, in: known.tableKey)
    try fillNested(nested, description)
  }

  private mutating func makeNested() throws -> (ObjectKey, ClassDescription) {
    let (table, row) = try writes.createNested(random.below(2) == 0 ? .list : .map)
    return (row, writes.schema.description.description(of: table)!)
  }

  private mutating func fillNested(_ row: ObjectKey, _ description: ClassDescription) throws {
    let property = description.properties[0]
    let value = try self.value(property) ?? .null
    if property.collection == .map {
      let key = "k\(random.below(4))"
      return try writes.mapSet(value, forKey: key, property, of: row, in: description.tableKey)
    }
    let (column, table) = (property.columnKey, description.tableKey)
    let count = try writes.list(column, of: row, in: table).count
    if count > 0, random.below(2) == 0 {
      return try writes.listSet(value, at: random.below(count), column, of: row, in: table)
    }
    try writes.listInsert(value, at: random.below(count + 1), column, of: row, in: table)
  }

  private mutating func changeList(_ property: PropertyDescription, _ row: ObjectKey) throws {
    let (table, column) = (known.tableKey, property.columnKey)
    let count = try writes.list(column, of: row, in: table).count
    let choice = random.below(10)
    if choice < 4 || count == 0 {
      let index = random.below(count + 1)
      if isPart(property) {
        return try fillPart(try writes.listInsertEmbedded(at: index, column, of: row, in: table))
      }
      guard let value = try element(property) else { return }
      return try writes.listInsert(value, at: index, column, of: row, in: table)
    }
    let index = random.below(count)
    switch choice {
    case 4: try writes.listRemove(index..<index + 1, column, of: row, in: table)
    case 5: try writes.listMove(from: index, to: random.below(count), column, of: row, in: table)
    case 6: try writes.listSwap(index, random.below(count), column, of: row, in: table)
    case 7 where clearsOften || random.below(3) == 0:
      try writes.listClear(column, of: row, in: table)
    default:
      if isPart(property) {
        guard
          case .link(_, let part) = try writes.list(column, of: row, in: table).value(
            at: index)
        else { return }
        return try fillPart(part)
      }
      guard let value = try element(property) else { return }
      try writes.listSet(value, at: index, column, of: row, in: table)
    }
  }

  /// A value for a list, which may be a list or a map.
  private mutating func element(_ property: PropertyDescription) throws -> StoredValue? {
    guard property.kind == .any, random.below(4) == 0 else { return try value(property) }
    let (row, description) = try makeNested()
    try fillNested(row, description)
    return .link(description.tableKey, row)
  }

  private mutating func changeMap(_ property: PropertyDescription, _ row: ObjectKey) throws {
    let table = known.tableKey
    let key = "k\(random.below(5))"
    if random.below(12) == 0 { return try writes.mapClear(property, of: row, in: table) }
    if random.below(4) == 0 {
      return try writes.mapRemove(key, property, of: row, in: table)
    }
    if isPart(property) {
      let place = try writes.map(property, of: row, in: table).value(of: key)
      if case .link(_, let part) = place, random.below(2) == 0 { return try fillPart(part) }
      return try fillPart(
        try writes.mapSetEmbedded(forKey: key, property, of: row, in: table))
    }
    guard let value = try value(property) else { return }
    try writes.mapSet(value, forKey: key, property, of: row, in: table)
  }
}

/// The type of a property's values.
public enum ValueType: UInt8, Hashable, Sendable {
  /// A value of any type, collections among them.
  case any = 0
  /// A truth value.
  case bool = 1
  /// An integer.
  case int = 2
  /// A `Float`.
  case float = 3
  /// A `Double`.
  case double = 4
  /// A string.
  case string = 5
  /// Bytes.
  case data = 6
  /// A date.
  case date = 7
  /// A `Decimal128`.
  case decimal = 8
  /// An `ObjectId`.
  case objectID = 9
  /// A UUID.
  case uuid = 10
  /// A link to an object of the target class.
  case link = 11
  /// An embedded object of the target class.
  case object = 12
}

/// Whether a property holds one value or a collection.
public enum Shape: UInt8, Hashable, Sendable {
  /// One value.
  case single = 0
  /// A list of values.
  case list = 1
  /// A set of values.
  case set = 2
  /// Values by string.
  case map = 3
}

/// The type of a property.
public struct PropertyType: Hashable, Sendable {
  /// The type of its values.
  public var value: ValueType
  /// Whether there is one value or a collection.
  public var shape: Shape
  /// Whether values may be nil.
  public var isOptional: Bool
  /// The class that links and embedded objects are of; empty otherwise.
  public var target: Text

  /// A type from its parts.
  public init(_ value: ValueType, _ shape: Shape, isOptional: Bool = false, target: Text = "") {
    self.value = value
    self.shape = shape
    self.isOptional = isOptional
    self.target = target
  }

  /// Whether the property can have such a value, or its collection such an element.
  func accepts(_ content: CellValue) -> Bool {
    switch (content, value) {
    case (.null, .link), (.null, .object): shape == .single || shape == .map
    case (.null, _): isOptional || value == .any
    case (.absent, _): shape == .set || shape == .map
    // Embedded objects have an owner of a class that is known, and sets are not in values of any
    // kind.
    case (.object, .any), (.set, .any): false
    case (_, .any): true
    case (.bool, .bool), (.int, .int), (.float, .float), (.double, .double): true
    case (.string, .string), (.data, .data), (.date, .date), (.decimal, .decimal): true
    case (.objectID, .objectID), (.uuid, .uuid), (.link, .link), (.object, .object): true
    default: false
    }
  }
}

/// A class as peers tell each other of it.
public struct SchemaClass: Hashable, Sendable {
  /// Its name.
  public var name: Text
  /// Whether its objects live in others and have no keys.
  public var isEmbedded: Bool
  /// The property that the keys of its objects are the values of; empty if it is not known.
  public var key: Text
  /// Its properties by name.
  public var properties: [Text: PropertyType]

  /// A class from its parts.
  public init(
    name: Text, isEmbedded: Bool = false, key: Text = "", properties: [Text: PropertyType]
  ) {
    self.name = name
    self.isEmbedded = isEmbedded
    self.key = key
    self.properties = properties
  }
}

extension SchemaClass {
  /// The property that is the key: the one that was named, or `_id`.
  private var keyName: Text { key.string.isEmpty ? "_id" : key }

  /// Whether the other one does not say that the key is another one.
  fileprivate func hasKey(of other: SchemaClass) -> Bool {
    isEmbedded || other.key.string.isEmpty || other.key == keyName
  }

  /// Whether no two names of properties look the same.
  fileprivate var hasOneSpellingOfEach: Bool {
    Set(properties.keys.map(\.string)).count == properties.count
  }

  /// Whether there is room for another property. What the key is was decided when the class came.
  fileprivate func mayAdd(_ name: Text) -> Bool {
    properties.count < Limits.properties && (isEmbedded || name != keyName)
  }
}

/// The classes that a replica knows. It only grows; a property keeps its type.
public struct Schema: Hashable, Sendable {
  /// The classes by name.
  public private(set) var classes: [Text: SchemaClass] = [:]

  /// What could not be added: a class, or a property of it.
  public struct Conflict: Hashable, Sendable {
    /// The class.
    public var type: Text
    /// The property, or empty for the class itself.
    public var property: Text

    /// A conflict from its parts.
    public init(type: Text, property: Text) {
      self.type = type
      self.property = property
    }
  }

  /// A schema without classes.
  public init() {}

  /// Adds what is new, if that is allowed, and says what could not be added. Names that look the
  /// same are one name to files, whatever their bytes: of those just the first is added.
  public mutating func add(_ others: [SchemaClass], extending: Bool) -> [Conflict] {
    var conflicts: [Conflict] = []
    lazy var spellings = Set(classes.keys.map(\.string))
    var room = Limits.allProperties - classes.values.reduce(0) { $0 + $1.properties.count }
    for other in others {
      guard var known = classes[other.name] else {
        let mayAdd =
          extending && Self.isName(other.name) && classes.count < Limits.classes
          && other.properties.count <= room && other.properties.keys.allSatisfy(Self.isName)
          && !spellings.contains(other.name.string) && other.hasOneSpellingOfEach
        if mayAdd {
          classes[other.name] = other
          spellings.insert(other.name.string)
          room -= other.properties.count
        } else {
          conflicts.append(Conflict(type: other.name, property: ""))
        }
        continue
      }
      guard known.isEmbedded == other.isEmbedded, known.hasKey(of: other) else {
        conflicts.append(Conflict(type: other.name, property: ""))
        continue
      }
      // Mostly nothing is new.
      lazy var propertySpellings = Set(known.properties.keys.map(\.string))
      for (name, type) in other.properties.sorted(by: { $0.key < $1.key }) {
        if let current = known.properties[name] {
          if current != type { conflicts.append(Conflict(type: other.name, property: name)) }
        } else if extending, known.mayAdd(name), room > 0, Self.isName(name),
          propertySpellings.insert(name.string).inserted
        {
          known.properties[name] = type
          room -= 1
        } else {
          conflicts.append(Conflict(type: other.name, property: name))
        }
      }
      classes[other.name] = known
    }
    return conflicts
  }

  /// The place of each class in an order in which classes that links lead to are in front of those
  /// with the links, unless they link to each other.
  var ranksByLinks: [Text: Int] {
    var ranks: [Text: Int] = [:]
    var seen: Set<Text> = []
    for first in classes.keys.sorted() where seen.insert(first).inserted {
      // Not by recursion: clients say what links to what.
      var path = [(type: first, targets: targets(of: first))]
      while let last = path.indices.last {
        if let target = path[last].targets.popLast() {
          if seen.insert(target).inserted { path.append((target, targets(of: target))) }
        } else {
          ranks[path.removeLast().type] = ranks.count
        }
      }
    }
    return ranks
  }

  private func targets(of type: Text) -> [Text] {
    let properties = classes[type]?.properties.values.filter { !$0.target.string.isEmpty } ?? []
    return Set(properties.map(\.target)).sorted()
  }

  /// Whether a class or a property can be called so. Names with a dot are those of hidden classes.
  public static func isName(_ name: Text) -> Bool {
    !name.string.isEmpty && !name.string.utf8.contains(UInt8(ascii: "."))
  }
}

// Properties by name: subscripts, descriptions, and filling an unmanaged object from a dictionary,
// an array or another object.

extension ObjectBase {
  final func _value(of property: PropertyInfo) -> Any {
    if property.offset == PropertyInfo.nowhere {
      return property.field.managedValue(of: self, column: _column(of: property))
    }
    return _withField(at: property.offset) { property.field.value(at: $0, of: self) }
  }

  /// The column of a property of the managed object.
  final func _column(of property: PropertyInfo) -> UInt32 {
    let binding = _knownBinding
    return binding.columns[binding.info.index(ofProperty: property.name)!]
  }

  final func _property(_ name: String) -> PropertyInfo {
    let info = _info
    guard let property = info.property(named: name) else {
      throwRealmException(
        "Invalid property name '\(name)' for class '\(info.name)'; there are "
          + "\(info.propertyNames).",
        name: "Invalid property name")
    }
    return property
  }

  /// The value as those get it who know only the property's name: without an optional or an
  /// `AnyRealmValue` around it.
  final func _value(ofProperty name: String) -> Any? {
    let value = unwrappedOnce(_value(of: _property(name)))
    if let any = value as? AnyRealmValue { return any.content }
    return value
  }

  final func _setValue(_ value: Any?, ofProperty name: String) {
    let property = _property(name)
    if _isManaged && property.isPrimaryKey {
      throwRealmException(MisuseReason.primaryKeyChanged)
    }
    _set(value ?? Optional<Int>.none as Any, to: property)
  }

  /// Sets the property, or reports why the value cannot be its.
  final func _set(_ value: Any, to property: PropertyInfo, _ realm: _RealmInstance? = nil) {
    let isSet =
      if property.offset == PropertyInfo.nowhere {
        _managingRealm.dynamicWriter.set(value, to: property, of: self)
      } else {
        _withField(at: property.offset) { property.field.set(value, at: $0, of: self, realm) }
      }
    if !isSet { throwInvalidValue(value, for: property, of: _info.name) }
  }

  /// Sets a managed property, and leaves alone what it has of the value already.
  final func _merge(_ value: Any, to property: PropertyInfo) {
    let isSet = _withField(at: property.offset) {
      property.field.merge(value, at: $0, of: self)
    }
    if !isSet { throwInvalidValue(value, for: property, of: ClassInfo.of(type(of: self)).name) }
  }

  /// Fills an unmanaged object from a dictionary, an array in the order of declaration, or an
  /// object with properties of the same names.
  final func _fill(from value: Any) {
    let info = ClassInfo.of(type(of: self))
    _fill(from: PropertySource(value, for: info), info, nil)
  }

  /// - Parameter realm: the one that the object is going to be added to.
  final func _fill(from source: PropertySource, _ info: ClassInfo, _ realm: _RealmInstance?) {
    switch source {
    case .array(let values):
      for (place, value) in values.enumerated() {
        _fill(value, at: info.givenProperties[place], info, realm)
      }
    case .dictionary(let values):
      for (index, name) in info.names.enumerated() {
        if let value = values[name] { _fill(value, at: index, info, realm) }
      }
    case .object:
      for index in info.fields.indices {
        if let value = source.value(at: index, of: info) { _fill(value, at: index, info, realm) }
      }
    }
  }

  /// Sets the property at that place of the class.
  final func _fill(_ value: Any, at index: Int, _ info: ClassInfo, _ realm: _RealmInstance?) {
    let isFilled = info.fields[index].fill(FieldAddress(self, at: 0), with: value)
    withExtendedLifetime(self) {}
    if !isFilled { _set(value, to: info.properties[index], realm) }
  }

  /// The object as text, with links followed a few levels deep.
  final func _describe(depth: Int) -> String {
    let info = _info
    if isInvalidated { return "[invalid object]" }
    if depth > 4 { return "<Maximum depth exceeded>" }
    let lines = info.properties.filter { $0.description.type != .linkingObjects }.map {
      property in
      let value = _value(of: property)
      let text: String
      switch unwrappedOnce(value) {
      case nil: text = "(null)"
      case let object as ObjectBase: text = object._describe(depth: depth + 1)
      case let any as AnyRealmValue: text = any._describe(depth: depth + 1)
      case let map as any DescribedToADepth: text = map._describe(depth: depth + 1)
      case let collection as any RealmCollectionBase:
        text = describeCollection(collection, depth: depth + 1)
      case let some?: text = String(describing: some)
      }
      return "\(property.name) = \(text);".replacingNewlines(with: "\n\t")
    }
    return "\(info.name) {\n\t" + lines.joined(separator: "\n\t") + "\n}"
  }
}

/// What may lead back to the object that it is in.
protocol DescribedToADepth {
  func _describe(depth: Int) -> String
}

extension String {
  fileprivate func replacingNewlines(with text: String) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: text)
  }
}

/// The value, with an optional's payload taken out.
func unwrappedOnce(_ value: Any) -> Any? { isNull(value) ? nil : unwrapped(value) }

func throwInvalidValue(_ value: Any, for property: PropertyInfo, of className: String) -> Never {
  throwRealmException(
    """
    Invalid value '\(value)' of type '\(type(of: value))' for \
    '\(property.expectedTypeText)' property '\(className).\(property.name)'.
    """)
}

extension ClassInfo {
  /// What there is, for reasons that say what there is not.
  var propertyNames: String { properties.map { "'\($0.name)'" }.joined(separator: ", ") }
}

extension PropertyInfo {
  /// The type in words, as misuse messages give it.
  var expectedTypeText: String {
    let name = targetName ?? String(describing: description.type)
    let optional = description.isOptional ? "?" : ""
    return description.collection != .none ? "[\(name)\(optional)]" : "\(name)\(optional)"
  }
}

/// Values for an object's properties, in whichever form the caller gave them.
enum PropertySource {
  case dictionary([String: Any])
  case array([Any])
  case object(ObjectBase)

  init(_ value: Any, for info: ClassInfo) {
    if let dictionary = exactly([String: Any].self, value) {
      self = .dictionary(dictionary)
      return
    }
    switch unwrapped(value) {
    case let value? where type(of: value) is ObjectBase.Type: self = .object(value as! ObjectBase)
    case let array? where type(of: array) == [Any].self:
      self = .array(PropertySource.checked(array as! [Any], info))
    case let dictionary as [String: Any]: self = .dictionary(dictionary)
    case let dictionary as [String: Any?]: self = .dictionary(dictionary.mapValues { $0 as Any })
    case let array as [Any]: self = .array(PropertySource.checked(array, info))
    default:
      throwRealmException(
        "Invalid value '\(value)' to initialize object of type '\(info.name)'.")
    }
  }

  private static func checked(_ array: [Any], _ info: ClassInfo) -> [Any] {
    let places = info.givenProperties.count
    if array.count <= places { return array }
    throwRealmException(
      "Invalid array input: more values (\(array.count)) than properties (\(places)).")
  }

  /// The value given for the property at that place of the class, or nil if none was.
  @inline(__always)
  func value(at index: Int, of info: ClassInfo) -> Any? {
    switch self {
    case .dictionary(let values): return values[info.names[index]]
    case .array(let values):
      guard let place = info.givenProperties.firstIndex(of: index), place < values.count
      else { return nil }
      return values[place]
    case .object(let object): return value(of: info.properties[index], from: object)
    }
  }

  private func value(of property: PropertyInfo, from object: ObjectBase) -> Any? {
    guard property.description.type != .linkingObjects,
      let source = object._info.property(named: property.name)
    else { return nil }
    return object._value(of: source)
  }
}

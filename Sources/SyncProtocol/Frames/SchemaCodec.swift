extension ByteWriter {
  /// In the order of names, so that equal schemas have equal bytes.
  mutating func schema(_ classes: [SchemaClass]) {
    count(classes.count)
    for type in classes {
      text(type.name)
      flag(type.isEmbedded)
      text(type.key)
      count(type.properties.count)
      for (name, property) in type.properties.sorted(by: { $0.key < $1.key }) {
        text(name)
        byte(property.value.rawValue)
        byte(property.shape.rawValue)
        flag(property.isOptional)
        text(property.target)
      }
    }
  }

  mutating func conflicts(_ conflicts: [Schema.Conflict]) {
    count(conflicts.count)
    for conflict in conflicts {
      text(conflict.type)
      text(conflict.property)
    }
  }

  mutating func subscriptions(_ subscriptions: [Subscription]) {
    count(subscriptions.count)
    for subscription in subscriptions {
      text(subscription.name)
      text(subscription.type)
      text(subscription.query)
    }
  }
}

extension ByteReader {
  mutating func schema() throws(WireError) -> [SchemaClass] {
    var classes: [SchemaClass] = []
    for _ in 0..<(try count(of: 4, upTo: Limits.classes)) {
      var type = SchemaClass(
        name: try text(upTo: Limits.nameBytes), isEmbedded: try flag(),
        key: try text(upTo: Limits.nameBytes), properties: [:])
      for _ in 0..<(try count(of: 5, upTo: Limits.properties)) {
        let name = try text(upTo: Limits.nameBytes)
        type.properties[name] = try propertyType()
      }
      classes.append(type)
    }
    return classes
  }

  private mutating func propertyType() throws(WireError) -> PropertyType {
    let valueByte = try byte()
    guard let value = ValueType(rawValue: valueByte) else { throw .unknownKind(valueByte) }
    let shapeByte = try byte()
    guard let shape = Shape(rawValue: shapeByte) else { throw .unknownKind(shapeByte) }
    return PropertyType(
      value, shape, isOptional: try flag(), target: try text(upTo: Limits.nameBytes))
  }

  mutating func conflicts() throws(WireError) -> [Schema.Conflict] {
    var conflicts: [Schema.Conflict] = []
    for _ in 0..<(try count(of: 2)) {
      conflicts.append(
        Schema.Conflict(
          type: try text(upTo: Limits.nameBytes), property: try text(upTo: Limits.nameBytes)))
    }
    return conflicts
  }

  /// - Parameter areOwn: whether they are read from where they were written, whatever there is.
  mutating func subscriptions(areOwn: Bool = false) throws(WireError) -> [Subscription] {
    var subscriptions: [Subscription] = []
    let (nameBytes, queryBytes) = areOwn ? (.max, .max) : (Limits.nameBytes, Limits.queryBytes)
    for _ in 0..<(try count(of: 3, upTo: areOwn ? .max : Limits.subscriptions)) {
      subscriptions.append(
        Subscription(
          name: try text(upTo: nameBytes), type: try text(upTo: nameBytes),
          query: try text(upTo: queryBytes)))
    }
    return subscriptions
  }
}

extension Subscription {
  /// Why no server can be asked for these; nil if one can.
  public static func excess(in subscriptions: [Subscription]) -> String? {
    if subscriptions.count > Limits.subscriptions {
      return "There can be \(Limits.subscriptions) subscriptions, not \(subscriptions.count)."
    }
    var bytes = 0
    for subscription in subscriptions {
      let name = max(subscription.name.string.utf8.count, subscription.type.string.utf8.count)
      let query = subscription.query.string.utf8.count
      if name > Limits.nameBytes {
        return "A subscription's name has at most \(Limits.nameBytes) bytes, not \(name)."
      }
      if query > Limits.queryBytes {
        return "A subscription's query has at most \(Limits.queryBytes) bytes, not \(query)."
      }
      bytes += subscription.name.string.utf8.count + subscription.type.string.utf8.count + query
    }
    // They go in one frame, with at most three lengths each.
    let room = Limits.frameBytes - 1_024 - 9 * Limits.subscriptions
    return bytes > room ? "All subscriptions together have at most \(room) bytes." : nil
  }
}

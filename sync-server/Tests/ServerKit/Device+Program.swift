import SyncProtocol

// What the program of a device does.
extension ClientCore where Storage == MemoryClientStorage {
  /// The number of a name.
  public func name(_ text: Text) -> NameID { storage.record.names.find(text) ?? .none }

  /// A task by its key.
  public func task(_ key: Int64) -> ObjectID { ObjectID(type: name(Device.task), key: .int(key)) }

  /// Makes a task.
  public mutating func addTask(
    _ key: Int64, title: String, owner: String = "me", priority: Int64 = 0
  ) {
    let id = task(key)
    create(id, now: Device.now)
    set("title", .string(Text(title)), id)
    set("owner", .string(Text(owner)), id)
    set("priority", .int(priority), id)
  }

  /// Writes a property.
  public mutating func set(_ property: Text, _ value: CellValue, _ id: ObjectID) {
    set(.property(name(property)), in: id, to: value, now: Device.now)
  }

  /// A project by its key.
  public func project(_ code: Text) -> ObjectID {
    ObjectID(type: name("Project"), key: .string(code))
  }

  /// The collection that a property of a task declares.
  public func collection(_ property: Text) -> ContainerID {
    ContainerID(declaredBy: name(property), in: .root)
  }

  /// The title of a task, if it is there.
  public func title(_ key: Int64) -> String? {
    let value = storage.value(.property(name("title")), of: .root, in: task(key))
    guard case .string(let text) = value else { return nil }
    return text.string
  }

  /// The keys of the tasks that are there.
  public var tasks: Set<Int64> {
    var keys: Set<Int64> = []
    for id in storage.objects where exists(id) && id.type == name(Device.task) {
      if case .int(let key) = id.key { keys.insert(key) }
    }
    return keys
  }

  /// Subscribes to tasks.
  public mutating func subscribe(_ query: String = "") {
    subscribe(to: [Subscription(type: Device.task, query: Text(query))])
  }
}

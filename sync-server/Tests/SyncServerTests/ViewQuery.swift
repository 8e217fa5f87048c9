import SyncProtocol

/// What tasks and projects there are.
struct ViewWorld: Equatable, Sendable {
  /// What a task has, as far as queries look at it.
  struct Task: Equatable, Sendable {
    var title = ""
    var owner = ""
    var priority: Int64 = 0
    var tags: [String] = []
    var project: String?
    var weights: [Int64] = []
    var value = Value.null
    var extra: String?
  }

  enum Value: Equatable, Sendable {
    case null
    case int(Int64)
    case text(String)
    /// A list, with its first element if that is a text.
    case list(String?)
  }

  var tasks: [Int64: Task] = [:]
  /// Their names.
  var projects: [String: String] = [:]

  init() {}

  /// What a device has.
  init(_ core: ClientCore<MemoryClientStorage>) {
    let (project, task) = (core.name("Project"), core.name("Task"))
    for id in core.storage.objects where core.exists(id) {
      switch id.key {
      case .int(let key) where id.type == task: tasks[key] = Task(id, core)
      case .string(let code) where id.type == project:
        projects[code.string] = core.text("name", of: id) ?? ""
      default: break
      }
    }
  }
}

extension ViewWorld.Task {
  fileprivate init(_ id: ObjectID, _ core: ClientCore<MemoryClientStorage>) {
    title = core.text("title", of: id) ?? ""
    owner = core.text("owner", of: id) ?? ""
    extra = core.text("extra", of: id)
    if case .int(let number) = core.value("priority", of: id) { priority = number }
    tags = core.storage.items(of: core.collection("tags"), in: id).compactMap(\.text)
    if case .link(let target) = core.value("project", of: id), case .string(let code) = target.key {
      project = code.string
    }
    let kinds = core.storage.state(of: id)?.containerKinds ?? [:]
    weights = kinds.filter { $0.value == .object(core.name("Part")) }.map { part in
      let weight = core.storage.value(.property(core.name("weight")), of: part.key, in: id)
      guard case .int(let number) = weight else { return 0 }
      return number
    }.sorted()
    switch core.value("value", of: id) {
    case .int(let number): value = .int(number)
    case .string(let text): value = .text(text.string)
    case .list:
      let list = kinds.first { $0.value == .list && !$0.key.isDeclared }?.key
      value = .list(list.flatMap { core.storage.items(of: $0, in: id).first?.text })
    default: break
    }
  }
}

extension CellValue {
  fileprivate var text: String? { if case .string(let text) = self { text.string } else { nil } }
}

extension ClientCore where Storage == MemoryClientStorage {
  fileprivate func value(_ property: Text, of id: ObjectID) -> CellValue? {
    storage.value(.property(name(property)), of: .root, in: id)
  }

  fileprivate func text(_ property: Text, of id: ObjectID) -> String? {
    value(property, of: id)?.text
  }
}

/// A subscription, and which objects it has to select.
enum ViewQuery: Hashable, Sendable {
  case all
  case owner(String)
  case owners([String])
  case keys([Int64])
  case priorityAbove(Int64)
  case ownerAbove(String, Int64)
  case ownerOrPriority(String, Int64)
  case others(String)
  case tagged(String)
  case untagged
  case heavy(Int64)
  case projectNamed(String)
  case withProject
  case withoutProject
  case value(Int64)
  case withoutValue
  case deep(String)
  case extra(String?)
  case allProjects
  case projects(named: String)
  case urgentProjects(Int64)

  var subscription: Subscription {
    switch self {
    case .allProjects, .projects, .urgentProjects:
      Subscription(type: "Project", query: Text(text))
    default: Subscription(type: "Task", query: Text(text))
    }
  }

  private var text: String {
    switch self {
    case .all, .allProjects: ""
    case .owner(let owner): "owner == '\(owner)'"
    case .owners(let owners): "owner IN {\(owners.map { "'\($0)'" }.joined(separator: ", "))}"
    case .keys(let keys): "_id IN {\(keys.map(String.init).joined(separator: ", "))}"
    case .priorityAbove(let bound): "priority > \(bound)"
    case .ownerAbove(let owner, let bound): "owner == '\(owner)' AND priority > \(bound)"
    case .ownerOrPriority(let owner, let number): "owner == '\(owner)' OR priority == \(number)"
    case .others(let owner): "NOT owner == '\(owner)'"
    case .tagged(let tag): "ANY tags == '\(tag)'"
    case .untagged: "tags.@count == 0"
    case .heavy(let bound): "parts.weight > \(bound)"
    case .projectNamed(let name): "project.name == '\(name)'"
    case .withProject: "project != nil"
    case .withoutProject: "project == nil"
    case .value(let number): "value == \(number)"
    case .withoutValue: "value == nil"
    case .deep(let text): "value[0] == '\(text)'"
    case .extra(let text): "extra == \(text.map { "'\($0)'" } ?? "nil")"
    case .projects(let name): "name == '\(name)'"
    case .urgentProjects(let bound): "ANY @links.Task.project.priority > \(bound)"
    }
  }

  func selects(_ key: Int64, _ task: ViewWorld.Task, in world: ViewWorld) -> Bool {
    switch self {
    case .all: true
    case .owner(let owner): task.owner == owner
    case .owners(let owners): owners.contains(task.owner)
    case .keys(let keys): keys.contains(key)
    case .priorityAbove(let bound): task.priority > bound
    case .ownerAbove(let owner, let bound): task.owner == owner && task.priority > bound
    case .ownerOrPriority(let owner, let number):
      task.owner == owner || task.priority == number
    case .others(let owner): task.owner != owner
    case .tagged(let tag): task.tags.contains(tag)
    case .untagged: task.tags.isEmpty
    case .heavy(let bound): task.weights.contains { $0 > bound }
    case .projectNamed(let name): task.project.flatMap { world.projects[$0] } == name
    case .withProject: task.project.flatMap { world.projects[$0] } != nil
    case .withoutProject: task.project.flatMap { world.projects[$0] } == nil
    case .value(let number): task.value == .int(number)
    case .withoutValue: task.value == .null
    case .deep(let text): task.value == .list(text)
    case .extra(let text): task.extra == text
    case .allProjects, .projects, .urgentProjects: false
    }
  }

  func selects(project code: String, in world: ViewWorld) -> Bool {
    switch self {
    case .allProjects: true
    case .projects(let name): world.projects[code] == name
    case .urgentProjects(let bound):
      world.tasks.values.contains { $0.project == code && $0.priority > bound }
    default: false
    }
  }
}

extension ViewWorld {
  /// What a device has to have that asks for this.
  func selected(by queries: [ViewQuery]) -> ViewWorld {
    var world = ViewWorld()
    world.tasks = tasks.filter { key, task in
      queries.contains { $0.selects(key, task, in: self) }
    }
    world.projects = projects.filter { code, _ in
      queries.contains { $0.selects(project: code, in: self) }
    }
    return world
  }

  /// In which way another one is not the same; a few words.
  func difference(to other: ViewWorld) -> String {
    var lines: [String] = []
    for key in Set(tasks.keys).union(other.tasks.keys).sorted() where tasks[key] != other.tasks[key]
    {
      let (own, others) = (tasks[key], other.tasks[key])
      lines.append("task \(key): \(own.map { "\($0)" } ?? "-"), \(others.map { "\($0)" } ?? "-")")
    }
    for code in Set(projects.keys).union(other.projects.keys).sorted()
    where projects[code] != other.projects[code] {
      lines.append("project \(code): \(projects[code] ?? "-"), \(other.projects[code] ?? "-")")
    }
    return lines.prefix(5).joined(separator: "\n")
  }
}

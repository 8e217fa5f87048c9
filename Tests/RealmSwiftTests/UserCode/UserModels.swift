import Foundation
import RealmSwift

// Models as programs write them: with initialisers of their own, lazy and computed properties,
// protocols, nested types and enumerations.

protocol Syncable {
  var identifier: String { get }
  var updatedAt: Date { get set }
}

extension Syncable {
  var isStale: Bool { Date().timeIntervalSince(updatedAt) > 60 }
  mutating func touch() { updatedAt = Date() }
}

protocol Titled: Object {
  var title: String { get set }
}

extension Titled {
  var shouting: String { title.uppercased() }
}

class BaseModel: Object, Syncable {
  @Persisted(primaryKey: true) var _id = UUID().uuidString
  @Persisted var updatedAt = Date(timeIntervalSince1970: 1)
  @Persisted var revision = 0

  var identifier: String { _id }
  private(set) lazy var display: String = "\(type(of: self)) \(revision)"
  var onChange: (() -> Void)?

  override init() {
    super.init()
    revision = 1
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class TaskItem: BaseModel, Titled, Codable, ObjectKeyIdentifiable {
  enum Priority: Int, PersistableEnum, Codable {
    case low, normal, high
  }

  enum Label: String, PersistableEnum {
    case home, work, none
  }

  @Persisted(indexed: true) var title = ""
  @Persisted var priority: Priority = .normal
  @Persisted var labels: List<Label>
  @Persisted var maybeLabels: List<Label?>
  @Persisted var labelCounts: Map<String, Int>
  @Persisted var due: Date?
  @Persisted var subtasks: List<TaskItem>
  @Persisted var location: Place?
  @Persisted var places: List<Place>
  @Persisted var extra: AnyRealmValue
  @Persisted var tags: MutableSet<String>
  @Persisted var color: Color?
  @Persisted(originProperty: "tasks") var projects: LinkingObjects<Board>

  var project: Board? { projects.first }
  var isOverdue: Bool { due.map { $0 < Date(timeIntervalSince1970: 100) } ?? false }

  override init() {
    super.init()
    labelCounts["made"] = 1
    tags.insert("new")
  }

  convenience init(title: String, priority: Priority = .normal) {
    self.init()
    self.title = title
    self.priority = priority
  }

  enum CodingKeys: String, CodingKey {
    case title, priority, tags
  }

  required convenience init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    priority = try container.decodeIfPresent(Priority.self, forKey: .priority) ?? .low
    tags = try container.decodeIfPresent(MutableSet<String>.self, forKey: .tags) ?? MutableSet()
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encode(priority, forKey: .priority)
    try container.encode(tags, forKey: .tags)
  }
}

final class Board: BaseModel {
  struct Summary: Equatable {
    let name: String
    let open: Int
  }

  @Persisted var name: String
  @Persisted var tasks: List<TaskItem>
  @Persisted var byName: Map<String, TaskItem?>
  @Persisted var pinned: TaskItem?
  @Persisted var watchers: MutableSet<TaskItem>

  lazy var summary = Summary(name: name, open: tasks.count)

  convenience init(name: String, tasks: [TaskItem] = []) {
    self.init()
    self.name = name
    self.tasks.append(objectsIn: tasks)
  }
}

final class Place: EmbeddedObject, Codable {
  @Persisted var name: String = "nowhere"
  @Persisted var latitude: Double = 0
  @Persisted var inner: Place?

  override init() {
    super.init()
    latitude = 1
  }

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

struct Color: CustomPersistable, Equatable {
  typealias PersistedType = Int
  var red, green, blue: Int

  init(red: Int, green: Int, blue: Int) { (self.red, self.green, self.blue) = (red, green, blue) }
  init(persistedValue: Int) {
    self.init(
      red: persistedValue >> 16, green: persistedValue >> 8 & 255, blue: persistedValue & 255)
  }
  var persistableValue: Int { red << 16 | green << 8 | blue }
}

final class Outer: Object {
  final class Inner: Object {
    @Persisted var value = 3
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Persisted var inner: Inner?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class TaskRow: Projection<TaskItem> {
  @Projected(\TaskItem.title) var title
  @Projected(\TaskItem.location?.name) var place
  @Projected(\TaskItem.location?.inner?.name) var innerPlace
  @Projected(\TaskItem.subtasks.projectTo.title) var subtaskTitles: ProjectedCollection<String>
}

/// What a program keeps its data in.
struct Repository<Model: BaseModel> {
  let realm: Realm

  func all() -> Results<Model> { realm.objects(Model.self) }
  func find(_ id: String) -> Model? { realm.object(ofType: Model.self, forPrimaryKey: id) }

  func save(_ model: Model) throws {
    try realm.write { realm.add(model, update: .modified) }
  }

  func newest<Value: _HasPersistedType & Comparable>(
    by keyPath: KeyPath<Model, Value>
  ) -> Model? where Value.PersistedType: SortableType {
    all().sorted(by: keyPath, ascending: false).first
  }
}

extension Results where Element: Titled {
  func titles() -> [String] { map(\.title) }
}

extension RealmCollection where Element: BaseModel {
  func identifiers() -> Set<String> { Set(map(\.identifier)) }
}

@MainActor
final class BoardViewModel {
  private(set) var titles: [String] = []
  private(set) var changes = 0
  private var token: NotificationToken?
  private let board: Board

  init(board: Board) { self.board = board }

  func start() {
    token = board.tasks.observe(keyPaths: [\TaskItem.title]) { [weak self] change in
      guard let self else { return }
      switch change {
      case .initial(let tasks): titles = tasks.map(\.title)
      case .update(let tasks, _, _, _):
        titles = tasks.map(\.title)
        changes += 1
      case .error: break
      }
    }
  }

  deinit { token?.invalidate() }
}

actor TaskStore {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func add(_ title: String) async throws -> String {
    try await realm.asyncWrite {
      let task = TaskItem(title: title)
      realm.add(task)
      return task.identifier
    }
  }

  func titles() -> [String] { realm.objects(TaskItem.self).sorted(by: \.title).titles() }

  func rename(_ reference: ThreadSafeReference<TaskItem>, to title: String) async throws {
    guard let task = realm.resolve(reference) else { return }
    try await realm.asyncWrite { task.title = title }
  }
}

/// Properties with names that the library might use for itself.
final class Awkward: Object {
  @Persisted(primaryKey: true) var key: String
  @Persisted var generation: Int
  @Persisted var row: Int
  @Persisted var instance: String?
  @Persisted var cluster: String?
  @Persisted var binding: List<Int>
  @Persisted var info: Map<String, Int>
  @Persisted var position: Double
  @Persisted var value: AnyRealmValue
  @Persisted var readState: Bool
  @Persisted var property: String
  @Persisted var isManaged: Bool
  @Persisted var isValid: Bool
  @Persisted var knownBinding: Awkward?
  @Persisted var managingRealm: String
  @Persisted var name: String
  @Persisted var collection: List<Awkward>
  @Persisted var realmObjectName: String
  @Persisted var id: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

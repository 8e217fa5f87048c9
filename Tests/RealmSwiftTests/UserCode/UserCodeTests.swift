import Dispatch
import Foundation
import RealmSwift
import Testing

/// A program as a user of the SDK writes it.
@Suite struct UserCodeTests {
  private let file = TemporaryRealm([
    TaskItem.self, Board.self, Place.self, Outer.self, Outer.Inner.self,
  ])

  @Test func modelsBeginAsTheirInitialisersSay() throws {
    let task = TaskItem(title: "wash", priority: .high)
    #expect(task.revision == 1 && task.labelCounts["made"] == 1 && task.tags.contains("new"))
    #expect(task.display == "TaskItem 1" && task.shouting == "WASH" && task.isStale)
    #expect(Place("x").latitude == 1 && Place(value: ["name": "y"]).latitude == 1)
    let realm = try file.open()
    let (made, copy) = try realm.write {
      realm.add(task)
      let made = realm.create(TaskItem.self, value: ["title": "made"])
      let copy = TaskItem(value: task)
      copy._id = "copy"
      realm.add(copy)
      return (made, copy)
    }
    #expect(made.revision == 1 && made.labelCounts["made"] == 1 && made.tags.count == 1)
    #expect(copy.title == "wash" && copy.priority == .high && copy.tags.count == 1)
    let read = try #require(realm.objects(TaskItem.self).where { $0.title == "wash" }.first)
    #expect(read.revision == 1 && read.display == "TaskItem 1")
    try realm.write { read.revision = 5 }
    #expect(realm.objects(TaskItem.self).where { $0.revision == 5 }.count == 1)
    #expect(read.freeze().revision == 5 && read.freeze().display == "TaskItem 5")
  }

  @Test func aManagedObjectKeepsWhatItsInitialiserWouldReset() throws {
    let realm = try file.open()
    try realm.write {
      let task = TaskItem(title: "one")
      task.revision = 9
      task.tags.removeAll()
      task.labelCounts["made"] = 4
      realm.add(task)
    }
    for _ in 0..<3 {
      let task = try #require(realm.objects(TaskItem.self).first)
      #expect(task.revision == 9 && task.tags.isEmpty && task.labelCounts["made"] == 4)
    }
    let elsewhere = DispatchQueue(label: "elsewhere").sync {
      try? Realm(configuration: file.configuration).objects(TaskItem.self).first?.revision
    }
    #expect(elsewhere == 9)
  }

  @Test func genericCodeWorksOnModels() throws {
    let repository = Repository<TaskItem>(realm: try file.open())
    try repository.save(TaskItem(title: "a"))
    let second = TaskItem(title: "b")
    second.revision = 7
    try repository.save(second)
    #expect(repository.find(second.identifier)?.title == "b")
    #expect(repository.newest(by: \.revision)?.title == "b")
    #expect(Set(repository.all().titles()) == ["a", "b"])
    #expect(repository.all().identifiers().count == 2)
    let again = TaskItem(value: ["_id": second._id, "title": "c"])
    try repository.save(again)
    #expect(repository.all().count == 2 && second.title == "c")
  }

  @Test func modelsAreCoded() throws {
    let json = Data(#"[{"title": "x", "tags": ["p", "q"]}, {"title": "y", "priority": 2}]"#.utf8)
    let tasks = try JSONDecoder().decode([TaskItem].self, from: json)
    let realm = try file.open()
    try realm.write { realm.add(tasks) }
    #expect(tasks[0].tags.count == 2 && tasks[0].priority == .low && tasks[1].priority == .high)
    let data = try JSONEncoder().encode(Array(realm.objects(TaskItem.self).sorted(by: \.title)))
    let decoded = try JSONDecoder().decode([TaskItem].self, from: data)
    #expect(decoded.map(\.title) == ["x", "y"] && decoded[0].tags.count == 2)
    let place = try JSONDecoder().decode(
      Place.self,
      from: Data(#"{"name": "n", "latitude": 2, "inner": {"name": "i", "latitude": 3}}"#.utf8))
    #expect(place.inner?.latitude == 3 && place.inner?.inner == nil)
  }

  @Test func nestedTypesAndOptionalEnumerations() throws {
    let realm = try file.open()
    let task = TaskItem(title: "t")
    task.maybeLabels.append(objectsIn: [.home, nil, .work])
    task.color = Color(red: 1, green: 2, blue: 3)
    try realm.write {
      realm.add(task)
      realm.create(Outer.self, value: ["inner": ["value": 8]])
    }
    #expect(task.maybeLabels.map { $0 } == [.home, nil, .work])
    #expect(realm.objects(TaskItem.self).where { $0.maybeLabels.contains(.work) }.count == 1)
    let color = Color(red: 1, green: 2, blue: 3)
    #expect(realm.objects(TaskItem.self).where { $0.color == color }.count == 1)
    #expect(realm.objects(TaskItem.self).where { $0.priority >= .normal }.count == 1)
    #expect(realm.objects(Outer.self).first?.inner?.value == 8)
    #expect(realm.objects(Outer.Inner.self).where { $0.value > 3 }.count == 1)
  }

  @Test func projectionsAndSectionsOfSeveralLevels() throws {
    let realm = try file.open()
    try realm.write {
      for (index, title) in ["apple", "avocado", "bread"].enumerated() {
        let task = TaskItem(title: title)
        task.location = Place("p\(index)")
        if index > 0 { task.location?.inner = Place("in\(index)") }
        task.subtasks.append(TaskItem(title: "sub of \(title)"))
        realm.add(task)
      }
    }
    let parents = realm.objects(TaskItem.self).where { $0.subtasks.count > 0 }
    let rows = realm.objects(TaskRow.self).filter("title IN %@", ["apple", "bread"])
    #expect(Set(rows.map(\.title)) == ["apple", "bread"])
    #expect(Set(rows.compactMap(\.innerPlace)) == ["in2"])
    #expect(rows.first?.subtaskTitles.count == 1)
    let sections = parents.sectioned(
      by: { String($0.title.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: "title")])
    #expect(sections.map(\.key) == ["a", "b"] && sections[0].map(\.title) == ["apple", "avocado"])
    let overdue = parents.sectioned(by: \.priority, ascending: true)
    #expect(overdue.allKeys == [.normal])
  }

  @Test func predicatesOfEveryKind() throws {
    let realm = try file.open()
    try realm.write {
      let board = Board(name: "main", tasks: ["x", "y", "z"].map { TaskItem(title: $0) })
      board.tasks[0].due = Date(timeIntervalSince1970: 50)
      board.tasks[1].extra = .int(5)
      board.pinned = board.tasks[2]
      board.byName["k"] = board.tasks[0]
      realm.add(board)
    }
    let tasks = realm.objects(TaskItem.self)
    let date = Date(timeIntervalSince1970: 60)
    #expect(tasks.filter("due < %@ AND title BEGINSWITH[c] %@", date, "X").count == 1)
    #expect(tasks.filter(NSPredicate(format: "%K == %@", "title", "y")).count == 1)
    #expect(tasks.filter(NSPredicate(format: "priority == %d", 1)).count == 3)
    #expect(tasks.filter("ANY projects.name == 'main'").count == 3)
    #expect(tasks.filter("extra == 5").count == 1)
    #expect(tasks.filter("projects.@count == 1").count == 3)
    let boards = realm.objects(Board.self)
    let subquery = "SUBQUERY(tasks, $t, $t.title == 'x' AND $t.due != nil).@count == 1"
    #expect(boards.filter(subquery).count == 1)
    #expect(boards.filter("pinned.title == 'z' OR tasks.@count > 100").count == 1)
    #expect(boards.filter("byName['k'].title == 'x'").count == 1)
    #expect(boards.where { $0.pinned.title.starts(with: "z") && $0.name != "" }.count == 1)
    let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "title != 'x'"),
      NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "title == 'y'")),
    ])
    #expect(tasks.filter(compound).titles() == ["z"])
    let wanted = ["x", "z"]
    #expect(tasks.where { $0.title.in(wanted) }.count == 2)
    #expect(tasks.where(#Predicate<TaskItem> { $0.title == "x" }).count == 1)
  }

  @Test func keyPathsGoThroughElements() {
    #expect(_name(for: \Board.tasks[0].title) == "tasks.title")
    #expect(_name(for: \Board.watchers[0].title) == "watchers.title")
    #expect(_name(for: \Board.byName["x"]??.title) == "byName.title")
    #expect(_name(for: \TaskItem.projects[0].name) == "projects.name")
    #expect(_name(for: \TaskItem.places[0].inner?.name) == "places.inner.name")
  }

  @MainActor @Test func viewModelsOnTheMainActor() async throws {
    let realm = try await Realm(configuration: file.configuration)
    let board = Board(name: "b", tasks: [TaskItem(title: "one")])
    try realm.write { realm.add(board) }
    let model = BoardViewModel(board: board)
    model.start()
    while model.titles.isEmpty { await Task.yield() }
    let store = try await TaskStore(file.configuration)
    let reference = ThreadSafeReference(to: board.tasks[0])
    try await store.rename(reference, to: "renamed")
    while model.titles != ["renamed"] { await Task.yield() }
    #expect(model.changes >= 1)
    _ = try await store.add("another")
    #expect(await store.titles() == ["another", "renamed"])
  }

  @Test func frozenGraphsAreThawed() throws {
    let realm = try file.open()
    let board = Board(name: "b", tasks: [TaskItem(title: "one"), TaskItem(title: "two")])
    try realm.write { realm.add(board) }
    let frozen = board.freeze()
    try realm.write {
      board.tasks[0].title = "changed"
      realm.delete(board.tasks[1])
    }
    #expect(frozen.tasks.map(\.title) == ["one", "two"])
    let titles = DispatchQueue(label: "reader").sync { Array(frozen.tasks.map(\.title)).joined() }
    #expect(titles == "onetwo")
    #expect(frozen.tasks[0].thaw()?.title == "changed" && frozen.tasks[1].thaw() == nil)
    #expect(frozen.thaw()?.tasks.count == 1 && frozen.tasks.thaw()?.count == 1)
    let reference = ThreadSafeReference(to: board.tasks)
    let resolved = try DispatchQueue(label: "other").sync {
      try Realm(configuration: file.configuration).resolve(reference).map { Array($0.map(\.title)) }
    }
    #expect(resolved == ["changed"])
  }

  @Test func wideAndDeepConditionsOfTheTypeSafeKind() throws {
    let realm = try file.open()
    try realm.write { realm.add((0..<10).map { TaskItem(title: "\($0)") }) }
    let any = realm.objects(TaskItem.self).where { task in
      (0..<2000).reduce(task.title == "none") { $0 || task.title == "\($1)" }
    }
    #expect(any.count == 10)
    let leaningRight = realm.objects(TaskItem.self).where { task in
      (0..<2000).reduce(task.title == "none") { task.title == "\($1)" || $0 }
    }
    #expect(leaningRight.count == 10)
    let all = realm.objects(TaskItem.self).where { task in
      (0..<2000).reduce(task.title != "none") { $0 && task.title != "\($1 + 5)" }
    }
    #expect(all.count == 5)
    let text = (0..<2000).map { "title == '\($0)'" }.joined(separator: " OR ")
    #expect(realm.objects(TaskItem.self).filter(text).count == 10)
  }
}

extension UserCodeTests {
  @Test func propertiesMayHaveAnyName() throws {
    let realm = try TemporaryRealm([Awkward.self]).open()
    let awkward = try realm.write {
      realm.create(
        Awkward.self,
        value: ["key": "k", "generation": 3, "row": 4, "isManaged": true, "binding": [1, 2]])
    }
    #expect(awkward.key == "k" && awkward.generation == 3 && awkward.row == 4 && awkward.isManaged)
    #expect(realm.objects(Awkward.self).where { $0.key == "k" && $0.generation > 2 }.count == 1)
    #expect(realm.object(ofType: Awkward.self, forPrimaryKey: "k")?.binding.count == 2)
  }
}

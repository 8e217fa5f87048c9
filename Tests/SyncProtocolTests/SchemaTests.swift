import SyncLab
import SyncProtocol
import Testing

/// What clients may add to an app's schema.
@Suite("a schema") struct SchemaTests {
  private func type(_ name: Text, key: Text = "", _ properties: Text...) -> SchemaClass {
    let type = PropertyType(.string, .single)
    return SchemaClass(
      name: name, key: key,
      properties: Dictionary(uniqueKeysWithValues: properties.map { ($0, type) }))
  }

  @Test("takes no names of hidden classes", arguments: ["server.head", "sync.file", ""] as [Text])
  func hidden(name: Text) {
    var schema = Schema()
    let wanted = [Schema.Conflict(type: name, property: "")]
    #expect(schema.add([type(name, "_id", "row")], extending: true) == wanted)
    #expect(schema.classes.isEmpty)
    _ = schema.add([type("Dog", "_id")], extending: true)
    let conflict = schema.add([type("Dog", "_id", "a.b")], extending: true)
    #expect(conflict == [Schema.Conflict(type: "Dog", property: "a.b")])
  }

  @Test("keeps the key that a class came with")
  func keys() {
    var schema = Schema()
    _ = schema.add([type("Dog", "name")], extending: true)
    let added = schema.add([type("Dog", key: "_id", "_id", "name")], extending: true)
    #expect(added == [Schema.Conflict(type: "Dog", property: "_id")])
    let other = schema.add([type("Dog", key: "name", "name")], extending: true)
    #expect(other == [Schema.Conflict(type: "Dog", property: "")])
  }

  @Test("takes one of names that look the same, whatever their bytes")
  func spellings() {
    let (composed, decomposed): (Text, Text) = ("caf\u{E9}", "cafe\u{301}")
    var schema = Schema()
    #expect(schema.add([type(composed, "_id")], extending: true) == [])
    let class2 = schema.add([type(decomposed, "_id", "row")], extending: true)
    #expect(class2 == [Schema.Conflict(type: decomposed, property: "")])
    #expect(schema.add([type(composed, "_id", decomposed)], extending: true) == [])
    let property = schema.add([type(composed, "_id", decomposed, composed)], extending: true)
    #expect(property == [Schema.Conflict(type: composed, property: composed)])
    let both = schema.add([type("Dog", "_id", composed, decomposed)], extending: true)
    #expect(both == [Schema.Conflict(type: "Dog", property: "")])
    let inOneFrame = schema.add(
      [type("\u{E9}", "_id"), type("e\u{301}", "_id")], extending: true)
    #expect(inOneFrame == [Schema.Conflict(type: "e\u{301}", property: "")])
  }

  @Test("gives no numbers to names that it does not take")
  func names() throws {
    var bench = try SyncBench(devices: 1)
    try bench.sync(0)
    let classes = [type("Item", "_id", "fresh", "a.b", "owner"), type("a.b", "_id", "lost")]
    #expect(!bench.server.addClasses(classes).isEmpty)
    let names = bench.server.head.names
    #expect(["fresh", "a.b", "lost"].map { names.find($0) != nil } == [true, false, false])
  }

  @Test("has so many properties in all")
  func size() {
    var schema = Schema()
    let names = (0..<4_000).map { Text("property \($0)") }
    var refused = 0
    for number in 0..<10 {
      var type = type(Text("Class\(number)"))
      for name in names { type.properties[name] = PropertyType(.int, .single) }
      refused += schema.add([type], extending: true).count
    }
    #expect(schema.classes.values.reduce(0) { $0 + $1.properties.count } == 16_000)
    #expect(refused == 6)
  }
}

import ObjectStore
import Storage

/// All that a file's objects hold, as text that does not depend on where they are.
struct StoreDump {
  private let view: StoreView

  init(_ view: StoreView) { self.view = view }

  func text() throws -> String {
    let known = view.schema.description(of: "Thing")!
    guard let table = try view.table(known.tableKey) else { return "" }
    var objects: [(Int64, String)] = []
    for key in try table.allKeys() {
      let position = try table.find(key)!
      let id = try table.int(known.primaryKey!.columnKey, at: position)
      objects.append((id, try object(known, table, position)))
    }
    return objects.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: "\n")
  }

  private func object(
    _ known: ClassDescription, _ table: Table, _ position: ObjectPosition
  ) throws -> String {
    var fields: [String] = []
    for property in known.properties {
      let list = { try table.list(of: property, at: position).allValues() }
      let text: String
      switch property.collection {
      case .none: text = try value(try table.value(of: property, at: position))
      case .list: text = "[" + (try list().map(value).joined(separator: ", ")) + "]"
      case .set: text = "{" + (try list().map(value).sorted().joined(separator: ", ")) + "}"
      case .map:
        let keys = try table.list(of: property.mapKeys, at: position).allValues()
        let pairs = try zip(keys, list()).map { "\(try value($0)): \(try value($1))" }
        text = "(" + pairs.sorted().joined(separator: ", ") + ")"
      }
      if !["null", "[]", "{}", "()"].contains(text) { fields.append("\(property.name)=\(text)") }
    }
    return fields.joined(separator: " ")
  }

  private func value(_ value: StoredValue) throws -> String {
    guard case .link(let tableKey, let key) = value else { return "\(value)" }
    let known = view.schema.description(of: tableKey)!
    let table = try view.table(tableKey)!
    let position = try table.find(key)!
    if let primaryKey = known.primaryKey {
      return "-> \(try table.int(primaryKey.columnKey, at: position))"
    }
    return "<\(try object(known, table, position))>"
  }
}

import ObjectStore
import Storage
import SyncProtocol

/// Which clients a changed object may concern, without asking each of them.
///
/// Subscriptions that say what a property must be equal to are found by the class, the property and
/// the value; others are evaluated once for each text, however many clients have it.
struct InterestIndex {
  private struct Place: Hashable {
    var property: String
    var value: StoredValue
  }

  private struct General {
    var query: CompiledQuery
    var clients: Set<ClientID> = []
  }

  /// What is known of one class.
  private struct Interests {
    var byValue: [Place: Set<ClientID>] = [:]
    /// How many subscriptions look at a property.
    var properties: [String: Int] = [:]
    var all: Set<ClientID> = []
    var general: [Text: General] = [:]
  }

  private struct Entry {
    var text: Text
    var query: PreparedQuery
  }

  private var types: [NameID: Interests] = [:]
  private var entries: [ClientID: [Entry]] = [:]
  /// Clients whose subscriptions follow links to other objects.
  private(set) var following: Set<ClientID> = []
  /// Clients whose subscriptions look at what links to an object.
  private(set) var lookingBack: Set<ClientID> = []

  /// The subscriptions of a client that is connected.
  mutating func set(_ client: ClientID, _ queries: [(text: Text, query: PreparedQuery)]) {
    remove(client)
    if queries.isEmpty { return }
    entries[client] = queries.map { Entry(text: $0.text, query: $0.query) }
    for (text, query) in queries {
      if query.reach.distance > 0 { following.insert(client) }
      if query.reach.looksBack { lookingBack.insert(client) }
      update(query.type) { interests in
        if query.selectsAll {
          interests.all.insert(client)
        } else if let term = query.term {
          interests.properties[term.property, default: 0] += 1
          for value in term.values {
            interests.byValue[Place(property: term.property, value: value), default: []]
              .insert(client)
          }
        } else {
          interests.general[text, default: General(query: query.query)].clients.insert(client)
        }
      }
    }
  }

  /// The client is gone.
  mutating func remove(_ client: ClientID) {
    guard let old = entries.removeValue(forKey: client) else { return }
    following.remove(client)
    lookingBack.remove(client)
    for entry in old {
      update(entry.query.type) { interests in
        interests.all.remove(client)
        if let term = entry.query.term {
          let count = interests.properties[term.property] ?? 0
          interests.properties[term.property] = count > 1 ? count - 1 : nil
          for value in term.values {
            let place = Place(property: term.property, value: value)
            interests.byValue[place]?.remove(client)
            if interests.byValue[place]?.isEmpty == true { interests.byValue[place] = nil }
          }
        }
        interests.general[entry.text]?.clients.remove(client)
        if interests.general[entry.text]?.clients.isEmpty == true {
          interests.general[entry.text] = nil
        }
      }
    }
  }

  private mutating func update(_ type: NameID, _ body: (inout Interests) -> Void) {
    var interests = types.removeValue(forKey: type) ?? Interests()
    body(&interests)
    types[type] = interests
  }

  /// Clients that see all objects of a class.
  func all(of type: NameID) -> Set<ClientID> { types[type]?.all ?? [] }

  /// Whether only what changes in an object itself decides whether the client sees it, and it does
  /// not see all: then `find` finds it for just those changes that concern it.
  func isSelective(_ client: ClientID) -> Bool {
    guard let entries = entries[client] else { return false }
    return !entries.contains { entry in
      // What names an object goes by what was there when the client came.
      entry.query.selectsAll || entry.query.reach.isBeyondObject
        || entry.text.string.contains("obj(")
    }
  }

  /// The clients that select a row as it is in a version, and those whose queries take too long to
  /// evaluate; without those that see all objects of the class.
  ///
  /// - Parameter rows: how many rows queries may look at.
  func find(
    _ type: RealSchema.RealClass, _ id: NameID, _ row: RowKey, _ view: StoreView,
    rows: inout Int
  ) throws(StorageError) -> Set<ClientID> {
    var found: Set<ClientID> = []
    guard let interests = types[id] else { return found }
    for general in interests.general.values {
      var isMatch = rows <= 0
      if !isMatch {
        do { isMatch = try general.query.matches(row, view, rows: &rows) } catch {
          if error.code != .beyondLimit { throw error }
          isMatch = true
        }
      }
      if isMatch { found.formUnion(general.clients) }
    }
    guard !interests.properties.isEmpty, let table = try view.table(type.table),
      let position = try table.find(row)
    else { return found }
    for name in interests.properties.keys {
      guard let property = type.description.property(named: name), !property.isCollection else {
        continue
      }
      let value = try table.value(of: property, at: position)
      if let clients = interests.byValue[Place(property: name, value: value)] {
        found.formUnion(clients)
      }
    }
    return found
  }
}

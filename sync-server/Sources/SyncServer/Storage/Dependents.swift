import ObjectStore
import Storage
import SyncProtocol

/// Finds the objects that link to others, from one link to the next.
struct Dependents {
  let schema: RealSchema
  let hidden: HiddenTables
  let snapshot: Snapshot
  let view: StoreView

  private struct Place: Hashable {
    var table: TableKey
    var row: RowKey
  }

  /// Beyond so many rows no more are looked at.
  private static let placesMax = 100_000

  /// The objects of some classes that are at most so many links away from others, against the
  /// direction of the links.
  func find(
    _ changed: [ObjectID], distance: Int, types: Set<NameID>
  ) throws(StorageError) -> Set<ObjectID> {
    var found: Set<ObjectID> = []
    var seen: Set<Place> = []
    var level: [Place] = []
    for id in changed {
      if let place = try place(of: id) {
        level.append(place)
      } else {
        // What links to an object that is not there is noted.
        for source in try hidden.links(to: id, snapshot) {
          if types.contains(source.type) { found.insert(source) }
          if let place = try place(of: source) { level.append(place) }
        }
      }
    }
    for _ in 0..<distance {
      var next: [Place] = []
      for place in level where seen.count < Self.placesMax {
        for origin in try origins(of: place) where seen.insert(origin).inserted {
          next.append(origin)
          if let id = try id(of: origin), types.contains(id.type) { found.insert(id) }
        }
      }
      if next.isEmpty { break }
      level = next
    }
    return found
  }

  private func place(of id: ObjectID) throws(StorageError) -> Place? {
    guard let type = schema[id.type], let property = type.key,
      let key = id.key.stored(for: property, in: id), let table = try view.table(type.table),
      let row = try table.find(primaryKey: key, property)
    else { return nil }
    return Place(table: type.table, row: row)
  }

  private func origins(of place: Place) throws(StorageError) -> [Place] {
    guard let description = view.schema.description(of: place.table),
      let table = try view.table(place.table), let position = try table.find(place.row)
    else { return [] }
    var origins: [Place] = []
    for backlink in description.backlinks {
      for row in try table.backlinks(backlink.columnKey, at: position).keys() {
        origins.append(Place(table: backlink.originTable, row: row))
      }
    }
    return origins
  }

  private func id(of place: Place) throws(StorageError) -> ObjectID? {
    guard let type = schema.type(of: place.table), let key = schema[type]?.key,
      let table = try view.table(place.table), let position = try table.find(place.row)
    else { return nil }
    return ObjectID(type: type, stored: try table.value(of: key, at: position), key)
  }
}

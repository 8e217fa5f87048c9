import Storage

/// Whether an object that is shaped like a GeoJSON point lies in a region: its `type` is "Point",
/// and its `coordinates` are a longitude and a latitude.
final class RowGeoNode: RowNode {
  private let path: CompiledPath
  private let type: ColumnInfo
  private let coordinates: ColumnInfo
  private let region: GeoRegion

  init(_ path: CompiledPath, type: ColumnInfo, coordinates: ColumnInfo, _ region: GeoRegion) {
    self.path = path
    self.type = type
    self.coordinates = coordinates
    self.region = region
  }

  func holds(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    try path.any(context, from: place, isOnce: true) { (value) throws(StorageError) in
      guard case .link(let key, let object) = value, let table = try context.table(key),
        let position = try table.find(object)
      else { return false }
      return try contains(context, PathPlace(table: table, position: position))
    }
  }

  private func contains(
    _ context: EvaluationContext, _ place: PathPlace
  ) throws(StorageError) -> Bool {
    let vector = try place.position.cluster.vector(type.key, of: type.kind, in: context.source)
    guard case .string(let name) = try context.read(vector, place.position.row, type),
      unsafe name.elementsEqual("Point".utf8)
    else { return false }
    let list = try context.list(coordinates, at: place)
    guard list.count >= 2 else { return false }
    return region.contains(
      GeoPosition(latitude: try list.double(at: 1), longitude: try list.double(at: 0)))
  }
}

extension PredicateCompiler {
  mutating func geoWithin(
    _ path: QueryPath, _ shape: GeoShape
  ) throws(QueryError) -> any PredicateNode {
    let compiled = try objectPath(path)
    guard let table = compiled.objectTable else {
      throw QueryError("'\(path.description)' is no link to an object that has a place.")
    }
    let owner = try paths.description(of: table)
    guard let type = owner.property(named: "type"), type.kind == .string, !type.isCollection,
      let coordinates = owner.property(named: "coordinates"), coordinates.kind == .double,
      coordinates.collection == .list
    else {
      throw QueryError(
        "'\(path.description)' leads to objects of type '\(owner.name)', which are no points: they "
          + "need a string 'type' and a list of doubles 'coordinates'.")
    }
    return RowGeoNode(
      compiled, type: ColumnInfo(type), coordinates: ColumnInfo(coordinates), GeoRegion(shape))
  }
}

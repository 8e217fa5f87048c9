extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
  /// Whether the place lies in the box.
  public func geoWithin(_ box: GeoBox) -> Query<Bool> { compare(.isIn, box) }

  /// Whether the place lies in the polygon.
  public func geoWithin(_ polygon: GeoPolygon) -> Query<Bool> { compare(.isIn, polygon) }

  /// Whether the place lies in the circle.
  public func geoWithin(_ circle: GeoCircle) -> Query<Bool> { compare(.isIn, circle) }
}

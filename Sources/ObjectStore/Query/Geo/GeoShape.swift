/// A place on the globe, in degrees.
public struct GeoPosition: Hashable, Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A part of the globe's surface, which is taken for a sphere.
public enum GeoShape: Hashable, Sendable {
  /// Between two circles of latitude and two meridians, from the first one eastwards to the second.
  case box(bottomLeft: GeoPosition, topRight: GeoPosition)
  /// Rings of places joined by shortest lines, the first and the last being the same; of the two
  /// sides of a ring the smaller one is inside, whichever way round its places are given. What is
  /// inside of the first ring and of no other one.
  case polygon([[GeoPosition]])
  /// All within an angle, in radians, as seen from the centre of the globe.
  case circle(center: GeoPosition, radius: Double)
}

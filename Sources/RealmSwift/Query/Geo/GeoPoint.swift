import ObjectStore

/// A place on the globe, to ask for objects around it.
///
/// Objects that have a place are embedded objects in the form of a GeoJSON point. Their `type` is
/// `"Point"`, and their `coordinates` are a longitude and a latitude:
///
/// ```swift
/// final class Location: EmbeddedObject {
///   @Persisted private var type = "Point"
///   @Persisted private var coordinates: List<Double>
/// }
/// ```
public struct GeoPoint: Hashable, Sendable, CustomStringConvertible {
  /// From -90 in the south to 90 in the north.
  public let latitude: Double
  /// From -180 in the west to 180 in the east.
  public let longitude: Double
  /// In metres. Conditions do not look at it.
  public let altitude: Double

  /// Nil for a latitude, a longitude or an altitude that is out of range.
  public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0 else {
      return nil
    }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// A latitude and a longitude.
  init?(_ pair: (Double, Double)) { self.init(latitude: pair.0, longitude: pair.1) }

  var position: GeoPosition { GeoPosition(latitude: latitude, longitude: longitude) }

  /// The coordinates, for people to read.
  public var description: String { "GeoPoint(latitude: \(latitude), longitude: \(longitude))" }
}

public import ObjectStore

/// A part of the globe that objects can lie in: a box, a polygon or a circle.
public protocol RLMGeospatial: Sendable {
  /// The shape in the engine's terms.
  var _shape: GeoShape { get }
}

/// What lies between two circles of latitude and two meridians.
public struct GeoBox: Hashable, Sendable, RLMGeospatial {
  /// The corner in the south-west.
  public let bottomLeft: GeoPoint
  /// The corner in the north-east. If its longitude is the smaller one, the box crosses the
  /// meridian at which longitudes begin anew.
  public let topRight: GeoPoint

  /// The box between two corners.
  public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
    self.bottomLeft = bottomLeft
    self.topRight = topRight
  }

  /// The box between two corners, given by latitude and longitude; nil if one is out of range.
  public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
    guard let low = GeoPoint(bottomLeft), let high = GeoPoint(topRight) else { return nil }
    self.init(bottomLeft: low, topRight: high)
  }

  public var _shape: GeoShape {
    .box(bottomLeft: bottomLeft.position, topRight: topRight.position)
  }
}

/// What lies inside of a ring of places, and not inside of other rings, its holes.
///
/// A ring begins and ends with the same place, and has at least three different ones. The smaller
/// side of a ring is inside, whichever way round it goes.
public struct GeoPolygon: Hashable, Sendable, RLMGeospatial {
  /// The ring around it.
  public let outerRing: [GeoPoint]
  /// The rings around what does not belong to it.
  public let holes: [[GeoPoint]]

  /// Nil if a ring is not closed, or has less than three different places.
  public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]? = nil) {
    let holes = holes ?? []
    guard ([outerRing] + holes).allSatisfy(Self.isRing) else { return nil }
    self.outerRing = outerRing
    self.holes = holes
  }

  /// Nil if a ring is not closed, or has less than three different places.
  public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
    self.init(outerRing: outerRing, holes: holes as [[GeoPoint]]?)
  }

  /// From latitudes and longitudes; nil if one is out of range or a ring is not closed.
  public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
    guard let outer = Self.points(outerRing) else { return nil }
    var inner: [[GeoPoint]] = []
    for hole in holes {
      guard let ring = Self.points(hole) else { return nil }
      inner.append(ring)
    }
    self.init(outerRing: outer, holes: inner as [[GeoPoint]]?)
  }

  /// From latitudes and longitudes; nil if one is out of range or a ring is not closed.
  public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
    self.init(outerRing: outerRing, holes: holes as [[(Double, Double)]])
  }

  private static func points(_ pairs: [(Double, Double)]) -> [GeoPoint]? {
    let points = pairs.compactMap { GeoPoint($0) }
    return points.count == pairs.count ? points : nil
  }

  private static func isRing(_ points: [GeoPoint]) -> Bool {
    guard let first = points.first, let last = points.last, first.position == last.position else {
      return false
    }
    return points.count > 3 && Set(points.map(\.position)).count >= 3
  }

  public var _shape: GeoShape { .polygon(([outerRing] + holes).map { $0.map(\.position) }) }
}

/// What lies within a distance of a place.
public struct GeoCircle: Hashable, Sendable, RLMGeospatial {
  /// The place in the middle.
  public let center: GeoPoint
  /// The angle that the radius spans at the centre of the globe.
  public let radiusInRadians: Double

  /// Nil for a negative radius.
  public init?(center: GeoPoint, radiusInRadians: Double) {
    guard radiusInRadians >= 0 else { return nil }
    self.center = center
    self.radiusInRadians = radiusInRadians
  }

  /// The circle around a place.
  public init(center: GeoPoint, radius: Distance) {
    self.center = center
    radiusInRadians = radius.radians
  }

  /// Around a latitude and a longitude; nil if one of them or the radius is out of range.
  public init?(center: (Double, Double), radiusInRadians: Double) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radiusInRadians: radiusInRadians)
  }

  /// Around a latitude and a longitude; nil if one of them is out of range.
  public init?(center: (Double, Double), radius: Distance) {
    guard let center = GeoPoint(center) else { return nil }
    self.init(center: center, radius: radius)
  }

  public var _shape: GeoShape { .circle(center: center.position, radius: radiusInRadians) }
}

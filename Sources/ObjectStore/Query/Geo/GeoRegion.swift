import CScan

/// A `GeoShape` made ready to be asked for many places.
struct GeoRegion: Sendable {
  private enum Form {
    case box(low: GeoPosition, high: GeoPosition)
    case rings([GeoRing])
    /// By the square of the straight distance, through the globe.
    case circle(GeoVector, chordSquare: Double)
  }

  private let form: Form

  init(_ shape: GeoShape) {
    switch shape {
    case .box(let low, let high):
      form = .box(low: low.withUsualLongitude, high: high.withUsualLongitude)
    case .polygon(let rings): form = .rings(rings.map { GeoRing($0) })
    case .circle(let center, let radius):
      // Half of the way round is all of the globe, whatever is lost in rounding.
      let half = radius >= .pi ? .infinity : scan_geo_sine(radius / 2)
      form = .circle(GeoVector(center), chordSquare: 4 * half * half)
    }
  }

  func contains(_ position: GeoPosition) -> Bool {
    guard position.latitude.isFinite, position.longitude.isFinite else { return false }
    switch form {
    case .box(let low, let high):
      guard low.latitude <= position.latitude, position.latitude <= high.latitude else {
        return false
      }
      let longitude = position.withUsualLongitude.longitude
      if Self.isBetween(low.longitude, high.longitude, longitude) { return true }
      // The meridian at which longitudes begin anew has two of them.
      return abs(longitude) == 180 && Self.isBetween(low.longitude, high.longitude, -longitude)
    case .rings(let rings):
      let point = GeoVector(position)
      guard let outer = rings.first, outer.contains(point) else { return false }
      return !rings.dropFirst().contains { $0.contains(point) }
    case .circle(let center, let chordSquare):
      let way = GeoVector(position) - center
      return way.dot(way) <= chordSquare
    }
  }
}

extension GeoRegion {
  private static func isBetween(_ low: Double, _ high: Double, _ longitude: Double) -> Bool {
    // Across the meridian at which longitudes begin anew if the first one is the larger.
    low <= high
      ? low <= longitude && longitude <= high : longitude >= low || longitude <= high
  }
}

extension GeoPosition {
  /// The same place with a longitude of -180 to 180.
  fileprivate var withUsualLongitude: GeoPosition {
    if abs(longitude) <= 180 { return self }
    return GeoPosition(latitude: latitude, longitude: longitude.remainder(dividingBy: 360))
  }
}

/// A closed line of shortest ways on the globe, and its smaller side.
struct GeoRing: Sendable {
  /// Each one once, without the last one, which is the first one.
  private let corners: [GeoVector]
  private let form: Form

  private enum Form {
    /// All corners are on one half of the globe, around its middle. Seen from the centre of the
    /// globe on a plane that touches that middle, shortest ways are straight lines.
    case plane(middle: GeoVector, right: GeoVector, up: GeoVector, [SIMD2<Double>])
    /// A place that is on no side of any line through two corners, and whether it is inside.
    case sphere(reference: GeoVector, isInside: Bool)
  }

  init(_ positions: [GeoPosition]) {
    var corners: [GeoVector] = []
    for corner in positions.map({ GeoVector($0) }) where corner != corners.last {
      corners.append(corner)
    }
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    self.corners = corners
    let middle = corners.reduce(GeoVector(0, 0, 0), +).normalized
    if corners.allSatisfy({ $0.dot(middle) > 1e-6 }) {
      let aside = abs(middle.z) < 0.9 ? GeoVector(0, 0, 1) : GeoVector(1, 0, 0)
      let right = aside.cross(middle).normalized
      let up = middle.cross(right)
      form = .plane(
        middle: middle, right: right, up: up,
        corners.map { Self.project($0, middle, right, up) })
    } else {
      form = Self.sphere(corners)
    }
  }

  private static func project(
    _ point: GeoVector, _ middle: GeoVector, _ right: GeoVector, _ up: GeoVector
  ) -> SIMD2<Double> {
    SIMD2(point.dot(right), point.dot(up)) / point.dot(middle)
  }

  func contains(_ point: GeoVector) -> Bool {
    switch form {
    case .plane(let middle, let right, let up, let flat):
      guard point.dot(middle) > 0 else { return false }
      return Self.isInside(Self.project(point, middle, right, up), flat)
    case .sphere(let reference, let isInside):
      return isInside == (crossings(reference, point) % 2 == 0)
    }
  }

  /// Whether a ray from the point crosses an odd number of sides. A corner belongs to the side
  /// above.
  private static func isInside(_ point: SIMD2<Double>, _ corners: [SIMD2<Double>]) -> Bool {
    var isInside = false
    var last = corners[corners.count - 1]
    for corner in corners {
      if (corner.y > point.y) != (last.y > point.y) {
        let share = (point.y - last.y) / (corner.y - last.y)
        if point.x < last.x + share * (corner.x - last.x) { isInside.toggle() }
      }
      last = corner
    }
    return isInside
  }

  // MARK: Rings around more than half of the globe

  private static func sphere(_ corners: [GeoVector]) -> Form {
    // The place lies a little to the left of the middle of the longest side, so that it is inside
    // if what is left of the ring is its smaller side.
    let sides = zip(corners, corners.dropFirst() + corners.prefix(1))
    let (start, end) = sides.max { $0.0.dot($0.1) > $1.0.dot($1.1) } ?? (corners[0], corners[0])
    let left = start.cross(end).normalized
    let reference = ((start * 0.43 + end * 0.57).normalized + left * 1e-7).normalized
    var area = 0.0
    for index in 1..<max(corners.count - 1, 1) {
      area += excess(corners[0], corners[index], corners[index + 1])
    }
    // Known but for whole globes.
    area.formTruncatingRemainder(dividingBy: 4 * .pi)
    if area < 0 { area += 4 * .pi }
    return .sphere(reference: reference, isInside: area <= 2 * .pi)
  }

  /// The area of a triangle, positive if its corners go round it to the left.
  private static func excess(_ a: GeoVector, _ b: GeoVector, _ c: GeoVector) -> Double {
    2 * scan_geo_angle(a.dot(b.cross(c)), 1 + a.dot(b) + b.dot(c) + c.dot(a))
  }

  /// How many sides the shortest way between two places crosses.
  private func crossings(_ from: GeoVector, _ to: GeoVector) -> Int {
    var count = 0
    var last = corners[corners.count - 1]
    for corner in corners {
      if Self.cross(from, to, last, corner) { count += 1 }
      last = corner
    }
    return count
  }

  /// Whether two shortest ways cross: the ends of each are on different sides of the other one, and
  /// they do so here rather than on the far side of the globe.
  private static func cross(
    _ a: GeoVector, _ b: GeoVector, _ c: GeoVector, _ d: GeoVector
  ) -> Bool {
    let (way, side) = (a.cross(b), c.cross(d))
    let (cSide, dSide) = (way.dot(c) >= 0, way.dot(d) >= 0)
    let (aSide, bSide) = (side.dot(a) >= 0, side.dot(b) >= 0)
    guard cSide != dSide, aSide != bSide else { return false }
    // From the left of one the other one is entered on its right.
    return cSide != aSide
  }
}

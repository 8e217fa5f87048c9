import CScan

/// A direction from the centre of the globe.
struct GeoVector: Hashable, Sendable {
  var x: Double
  var y: Double
  var z: Double

  init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Of length one.
  init(_ position: GeoPosition) {
    var parts = (0.0, 0.0, 0.0)
    unsafe withUnsafeMutableBytes(of: &parts) {
      unsafe scan_geo_unit(
        position.latitude, position.longitude, $0.assumingMemoryBound(to: Double.self).baseAddress)
    }
    self.init(parts.0, parts.1, parts.2)
  }

  static func + (left: GeoVector, right: GeoVector) -> GeoVector {
    GeoVector(left.x + right.x, left.y + right.y, left.z + right.z)
  }

  static func - (left: GeoVector, right: GeoVector) -> GeoVector {
    GeoVector(left.x - right.x, left.y - right.y, left.z - right.z)
  }

  static func * (left: GeoVector, right: Double) -> GeoVector {
    GeoVector(left.x * right, left.y * right, left.z * right)
  }

  func dot(_ other: GeoVector) -> Double { x * other.x + y * other.y + z * other.z }

  func cross(_ other: GeoVector) -> GeoVector {
    GeoVector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  var normalized: GeoVector {
    let length = dot(self).squareRoot()
    return length > 0 ? self * (1 / length) : self
  }
}

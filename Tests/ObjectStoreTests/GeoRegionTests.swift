import Foundation
import TestSupport
import Testing

@testable import ObjectStore

@Suite struct GeoRegionTests {
  private typealias Vector = SIMD3<Double>

  private func vector(_ place: GeoPosition) -> Vector {
    let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
    return Vector(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }

  private func dot(_ a: Vector, _ b: Vector) -> Double { (a * b).sum() }

  private func cross(_ a: Vector, _ b: Vector) -> Vector {
    Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }

  private func place(_ vector: Vector) -> GeoPosition {
    let unit = vector / dot(vector, vector).squareRoot()
    return GeoPosition(
      latitude: asin(max(-1, min(1, unit.z))) * 180 / .pi,
      longitude: atan2(unit.y, unit.x) * 180 / .pi)
  }

  /// Spread evenly over the globe.
  private func anywhere(_ random: inout SeededGenerator) -> GeoPosition {
    GeoPosition(
      latitude: asin(Double.random(in: -1...1, using: &random)) * 180 / .pi,
      longitude: .random(in: -180...180, using: &random))
  }

  private func at(_ latitude: Double, _ longitude: Double) -> GeoPosition {
    GeoPosition(latitude: latitude, longitude: longitude)
  }

  /// The place so far away from another one, in a direction.
  private func place(
    _ distance: Double, from start: GeoPosition, towards direction: Double
  ) -> GeoPosition {
    let middle = vector(start)
    let aside = cross(abs(middle.z) < 0.9 ? Vector(0, 0, 1) : Vector(1, 0, 0), middle)
    let right = aside / dot(aside, aside).squareRoot()
    let up = cross(middle, right)
    let way = right * cos(direction) + up * sin(direction)
    return place(middle * cos(distance) + way * sin(distance))
  }

  @Test func `a box lies between latitudes and, eastwards, between meridians`() {
    let box = GeoRegion(.box(bottomLeft: at(-10, 170), topRight: at(10, -170)))
    #expect(box.contains(at(0, 175)) && box.contains(at(0, -175)) && box.contains(at(10, 180)))
    #expect(!box.contains(at(0, 0)) && !box.contains(at(11, 175)) && !box.contains(at(0, 169)))
    let plain = GeoRegion(.box(bottomLeft: at(40, -80), topRight: at(45, -70)))
    #expect(plain.contains(at(40.7, -74)) && !plain.contains(at(51.5, 0)))
  }

  @Test func `known distances decide about circles`() {
    // Paris and London are 344 km apart, Sydney and Auckland 2,156 km.
    let kilometre = 1 / 6378.1
    let paris = at(48.8566, 2.3522)
    let london = at(51.5074, -0.1278)
    #expect(GeoRegion(.circle(center: paris, radius: 350 * kilometre)).contains(london))
    #expect(!GeoRegion(.circle(center: paris, radius: 340 * kilometre)).contains(london))
    let sydney = at(-33.8688, 151.2093)
    let auckland = at(-36.8485, 174.7633)
    #expect(GeoRegion(.circle(center: sydney, radius: 2170 * kilometre)).contains(auckland))
    #expect(!GeoRegion(.circle(center: sydney, radius: 2140 * kilometre)).contains(auckland))
    #expect(
      GeoRegion(.circle(center: paris, radius: 4)).contains(at(-48, -177)), "all of the globe")
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a circle holds what is nearer than its radius`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let center = anywhere(&random)
      let radius = Double.random(in: 0.001...3.1, using: &random)
      let distance = Double.random(in: 0...3.14, using: &random)
      if abs(distance - radius) < 1e-6 { continue }
      let other = place(distance, from: center, towards: .random(in: 0...6.28, using: &random))
      let circle = GeoRegion(.circle(center: center, radius: radius))
      #expect(circle.contains(other) == (distance < radius), "\(center) \(radius) \(other)")
    }
  }

  @Test(arguments: [4, 5, 6] as [UInt64])
  func `a triangle holds what is on the same side of its three sides`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1500 {
      let corners = (0..<3).map { _ in anywhere(&random) }
      let (a, b, c) = (vector(corners[0]), vector(corners[1]), vector(corners[2]))
      let turn = dot(cross(a, b), c)
      if abs(turn) < 0.02 { continue }
      let rings = [corners + [corners[0]], [corners[0]] + corners.reversed()]
      for _ in 0..<5 {
        let point = anywhere(&random)
        let p = vector(point)
        let sides = [dot(cross(a, b), p), dot(cross(b, c), p), dot(cross(c, a), p)]
        if sides.contains(where: { abs($0) < 1e-9 }) { continue }
        let isInside = sides.allSatisfy { ($0 > 0) == (turn > 0) }
        for ring in rings {
          #expect(GeoRegion(.polygon([ring])).contains(point) == isInside, "\(ring) \(point)")
        }
      }
    }
  }

  @Test(arguments: [7, 8] as [UInt64])
  func `a polygon around a place is between two circles`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let center = anywhere(&random)
      let outer = Double.random(in: 1e-5...1.4, using: &random)
      let corners = Int.random(in: 8...40, using: &random)
      func ring(_ radius: Double) -> [GeoPosition] {
        let places = (0..<corners).map {
          place(radius, from: center, towards: 2 * .pi * Double($0) / Double(corners))
        }
        return places + [places[0]]
      }
      let region = GeoRegion(.polygon([ring(outer), ring(outer / 2)]))
      for _ in 0..<20 {
        let distance = Double.random(in: 0...min(outer * 2, 3), using: &random)
        let point = place(distance, from: center, towards: .random(in: 0...6.28, using: &random))
        // Sides come nearer to the middle than corners do.
        let nearest = cos(.pi / Double(corners)) * 0.9
        if distance > outer || distance < outer / 2 * nearest {
          #expect(!region.contains(point), "\(center) \(outer) \(distance)")
        } else if distance < outer * nearest && distance > outer / 2 * 1.001 {
          #expect(region.contains(point), "\(center) \(outer) \(distance)")
        }
      }
    }
  }

  @Test func `a ring around the globe has its smaller side inside`() {
    // A zigzag along the fifteenth parallel, in either direction: the north is smaller.
    let corners = (0..<24).map { at($0 % 2 == 0 ? 35 : -5, Double($0) * 15 - 180) }
    for places in [corners, corners.reversed()] {
      let region = GeoRegion(.polygon([places + [places[0]]]))
      for longitude in stride(from: -179.0, through: 179, by: 7) {
        #expect(region.contains(at(60, longitude)) && region.contains(at(89, longitude)))
        #expect(!region.contains(at(-20, longitude)) && !region.contains(at(-89, longitude)))
      }
    }
  }

  @Test func `a pole, and the meridian at which longitudes begin anew, are places like others`() {
    for latitude in [90.0, -90] {
      let circle = GeoRegion(.circle(center: at(latitude, 10), radius: 0))
      for longitude in [-180.0, -77, 0, 10, 180] {
        #expect(circle.contains(at(latitude, longitude)))
      }
      #expect(!circle.contains(at(-latitude, 10)) && !circle.contains(at(latitude * 0.999, 10)))
    }
    for (one, other) in [(180.0, -180.0), (-180, 180), (190, -170), (-540, 180), (7, 367)] {
      #expect(GeoRegion(.circle(center: at(20, one), radius: 1e-12)).contains(at(20, other)))
      let line = GeoRegion(.box(bottomLeft: at(0, one), topRight: at(30, one)))
      #expect(line.contains(at(20, other)), "\(one) \(other)")
      #expect(!line.contains(at(20, other + 1)) && !line.contains(at(20, other - 1)))
    }
    #expect(GeoRegion(.circle(center: at(20, 180), radius: 0)).contains(at(20, -180)))
    let east = GeoRegion(.box(bottomLeft: at(-5, 170), topRight: at(5, 180)))
    let west = GeoRegion(.box(bottomLeft: at(-5, -180), topRight: at(5, -170)))
    for longitude in [180.0, -180] {
      #expect(east.contains(at(0, longitude)) && west.contains(at(0, longitude)))
    }
    #expect(!east.contains(at(0, -179)) && !west.contains(at(0, 179)))
    let all = GeoRegion(.box(bottomLeft: at(-90, -180), topRight: at(90, 180)))
    for longitude in [-180.0, -1, 0, 93, 180] { #expect(all.contains(at(0, longitude))) }
  }

  @Test(arguments: [9, 10] as [UInt64])
  func `circles of nothing, of half and of all of the globe are exact`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let center = anywhere(&random)
      let antipode = at(-center.latitude, center.longitude - (center.longitude > 0 ? 180 : -180))
      let other = anywhere(&random)
      let nothing = GeoRegion(.circle(center: center, radius: 0))
      #expect(nothing.contains(center) && !nothing.contains(other) && !nothing.contains(antipode))
      for radius in [Double.pi, 4, .infinity] {
        let all = GeoRegion(.circle(center: center, radius: radius))
        #expect(all.contains(center) && all.contains(other) && all.contains(antipode), "\(center)")
      }
      let half = GeoRegion(.circle(center: center, radius: .pi / 2))
      let height = dot(vector(center), vector(other))
      if abs(height) > 1e-9 { #expect(half.contains(other) == (height > 0)) }
    }
  }

  @Test func `a place that is none is in no region`() {
    let zigzag = (0..<24).map { at($0 % 2 == 0 ? 35 : -5, Double($0) * 15 - 180) }
    let shapes: [GeoShape] = [
      .box(bottomLeft: at(-90, -180), topRight: at(90, 180)),
      .box(bottomLeft: at(-90, 170), topRight: at(90, -170)),
      .circle(center: at(0, 0), radius: 4), .polygon([zigzag + [zigzag[0]]]),
      .polygon([zigzag.reversed() + [zigzag[23]]]),
      .polygon([[at(-1, -1), at(1, -1), at(1, 1), at(-1, -1)]]),
    ]
    for shape in shapes {
      let region = GeoRegion(shape)
      for (latitude, longitude) in [
        (Double.nan, 0.0), (0, .nan), (.nan, .nan), (.infinity, 0), (0, -.infinity),
      ] {
        #expect(!region.contains(at(latitude, longitude)), "\(shape): \(latitude) \(longitude)")
      }
    }
  }

  /// A ring that goes eastwards around an axis, each corner at a height of its own. Whether a place
  /// is above it follows from the one side that passes its meridian, and which side is the smaller
  /// from the area below, added up.
  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func `a ring around an axis holds what is on its smaller side`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<300 {
      let count = Int.random(in: 4...30, using: &random)
      let tilt = Double.random(in: -60...60, using: &random)
      let corners = (0..<count).map { index in
        let latitude = max(-85, min(85, tilt + .random(in: -40...40, using: &random)))
        return at(latitude, -180 + 360 * Double(index) / Double(count))
      }
      /// The height of the ring, in degrees.
      func height(_ longitude: Double) -> Double {
        let index = min(count - 1, Int((longitude + 180) / 360 * Double(count)))
        let normal = cross(vector(corners[index]), vector(corners[(index + 1) % count]))
        let angle = longitude * .pi / 180
        return atan(-(normal.x * cos(angle) + normal.y * sin(angle)) / normal.z) * 180 / .pi
      }
      // Both halves of the globe have an area of one.
      let above = (0..<2000).reduce(0.0) { sum, step in
        let longitude = -180 + (Double(step) + 0.5) * 0.18
        let latitude = height(longitude) * Double.pi / 180
        return sum + (1 - sin(latitude)) / 2000
      }
      if abs(above - 1) < 0.02 { continue }
      // The axis lies somewhere, and some corners come twice.
      let axis = [anywhere(&random), at(90, 0), at(0, 180)][round % 3]
      let up = vector(axis)
      let aside = cross(abs(up.z) < 0.9 ? Vector(0, 0, 1) : Vector(1, 0, 0), up)
      let right = aside / dot(aside, aside).squareRoot()
      let ahead = cross(up, right)
      func turned(_ place: GeoPosition) -> GeoPosition {
        let v = vector(place)
        return self.place(right * v.x + ahead * v.y + up * v.z)
      }
      var ring = corners.flatMap { corner in
        [turned(corner)] + (round % 4 == 0 ? [turned(corner)] : [])
      }
      if round % 2 == 0 { ring.reverse() }
      ring.append(ring[0])
      let region = GeoRegion(.polygon([ring]))
      for _ in 0..<40 {
        let place = anywhere(&random)
        let distance = place.latitude - height(place.longitude)
        if abs(distance) < 1e-6 { continue }
        let isInside = (distance > 0) == (above < 1)
        #expect(region.contains(turned(place)) == isInside, "seed \(seed) round \(round) \(place)")
      }
    }
  }
}

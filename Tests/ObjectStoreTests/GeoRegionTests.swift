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
}

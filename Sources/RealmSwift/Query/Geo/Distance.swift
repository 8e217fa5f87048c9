/// A distance on the surface of the globe, kept as the angle that it spans at its centre.
public struct Distance: Hashable, Comparable, Sendable {
  /// The angle in radians.
  public let radians: Double

  /// The globe's radius.
  private static let metres = 6_378_100.0
  private static let metresInMile = 1609.344

  private init?(_ radians: Double) {
    guard radians >= 0 else { return nil }
    self.radians = radians
  }

  /// Nil for a negative distance.
  public static func kilometers(_ kilometers: Double) -> Distance? {
    Distance(kilometers * 1000 / metres)
  }

  /// Nil for a negative distance.
  public static func miles(_ miles: Double) -> Distance? {
    Distance(miles * metresInMile / metres)
  }

  /// The distance that spans an angle in degrees; nil for a negative one.
  public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * .pi / 180) }

  /// The distance that spans an angle in radians; nil for a negative one.
  public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

  /// The distance in kilometres.
  public func asKilometers() -> Double { radians * Self.metres / 1000 }
  /// The distance in miles.
  public func asMiles() -> Double { radians * Self.metres / Self.metresInMile }
  /// The angle in degrees.
  public func asDegrees() -> Double { radians * 180 / .pi }

  /// The order of the distances.
  public static func < (left: Distance, right: Distance) -> Bool { left.radians < right.radians }
}

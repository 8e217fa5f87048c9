import Foundation

/// How quantities are written for people. JSON has plain numbers: bytes, seconds.
public enum Quantity {
  /// Bytes with a binary unit: `1.5 MiB`.
  public static func bytes(_ count: UInt64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"]
    var value = Double(count)
    if value < 1024 { return "\(count) B" }
    var unit = -1
    while value >= 1024, unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    return String(format: value < 10 ? "%.2f %@" : "%.1f %@", value, units[unit])
  }

  /// A count with separators: `63,666`.
  public static func count(_ value: UInt64) -> String {
    var digits = String(value)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }

  public static func count(_ value: Int) -> String {
    value < 0 ? "-" + count(value.magnitude) : count(UInt64(value))
  }

  static func count(_ value: UInt) -> String { count(UInt64(value)) }

  /// A count of things: `1 pin`, `2,000 pins`.
  public static func number(of count: Int, _ thing: String, _ things: String? = nil) -> String {
    "\(Self.count(count)) \(count == 1 ? thing : things ?? thing + "s")"
  }

  /// Seconds in the unit that reads best: `17 us`, `3.2 ms`, `2.0 s`, `5 min`.
  public static func seconds(_ value: Double) -> String {
    switch value {
    case ..<0.001: String(format: "%.0f us", value * 1_000_000)
    case ..<1: String(format: "%.1f ms", value * 1000)
    case ..<120: String(format: "%.1f s", value)
    case ..<7200: String(format: "%.0f min", value / 60)
    default: String(format: "%.1f h", value / 3600)
    }
  }

  /// A part of a whole: `12.5 %`.
  public static func share(_ part: UInt64, of whole: UInt64) -> String {
    whole == 0 ? "-" : String(format: "%.1f %%", Double(part) / Double(whole) * 100)
  }
}

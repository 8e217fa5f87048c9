/// Durations and how they are distributed.
public struct Latencies: Sendable {
  private var nanoseconds: [UInt64] = []

  public init() {}

  public init(_ nanoseconds: [UInt64]) { self.nanoseconds = nanoseconds }

  public mutating func add(_ duration: UInt64) { nanoseconds.append(duration) }

  public var count: Int { nanoseconds.count }

  /// Milliseconds; 0 if there are none.
  public var maximum: Double { Double(nanoseconds.max() ?? 0) / 1e6 }

  /// Milliseconds that a part of the durations, 0...1, does not exceed.
  public func quantile(_ part: Double) -> Double {
    guard !nanoseconds.isEmpty else { return 0 }
    let sorted = nanoseconds.sorted()
    let index = min(Int(Double(sorted.count) * part), sorted.count - 1)
    return Double(sorted[index]) / 1e6
  }

  public var summary: String {
    let parts = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)].map {
      "\($0) \(Self.text(quantile($1)))"
    }
    return "n \(count), " + parts.joined(separator: ", ") + ", max \(Self.text(maximum)) ms"
  }

  /// One line for each power of two of a millisecond.
  public var histogram: [String] {
    var upper: UInt64 = 62_500
    var left = nanoseconds
    var lines: [String] = []
    while !left.isEmpty {
      let below = left.count { $0 < upper }
      left.removeAll { $0 < upper }
      if below > 0 || !lines.isEmpty {
        let label = Self.text(Double(upper) / 1e6)
        let stars = String(repeating: "*", count: max(1, below * 50 / count))
        lines.append("  < \(pad(label, 9)) ms \(pad(String(below), 7)) \(below > 0 ? stars : "")")
      }
      upper *= 2
    }
    return lines
  }

  private func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func text(_ milliseconds: Double) -> String {
    let thousandths = Int((milliseconds * 1000).rounded())
    let fraction = String(thousandths % 1000 + 1000).dropFirst()
    return "\(thousandths / 1000).\(fraction)"
  }
}

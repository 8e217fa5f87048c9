import CoreMetrics
import Platform

/// Metrics that are read as text in Prometheus' format.
public final class PrometheusMetrics: MetricsFactory {
  /// What one label and its dimensions count.
  final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
    TimerHandler
  {
    private struct Value {
      var sum = 0.0
      var count: UInt64 = 0
    }

    /// Whether every value counts, or the last one is what is.
    let isSummary: Bool
    private let value = LockedValue(Value())

    init(isSummary: Bool) { self.isSummary = isSummary }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { value.withLock { $0.sum += amount } }
    func decrement(by amount: Double) { increment(by: -amount) }
    func reset() { value.withLock { $0 = Value() } }
    func set(_ new: Int64) { set(Double(new)) }
    func set(_ new: Double) { value.withLock { $0.sum = new } }
    func record(_ new: Int64) { record(Double(new)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ new: Double) {
      guard isSummary else { return set(new) }
      value.withLock {
        $0.sum += new
        $0.count += 1
      }
    }

    var current: (sum: Double, count: UInt64) { value.withLock { ($0.sum, $0.count) } }
  }

  private struct Name: Hashable {
    var label: String
    var dimensions: String
  }

  private let series = LockedValue<[Name: Series]>([:])

  /// No metrics yet.
  public init() {}

  /// What all metrics are now.
  public var text: String {
    let all = series.withLock { $0 }
    var text = ""
    var lastLabel = ""
    for (name, series) in all.sorted(by: {
      ($0.key.label, $0.key.dimensions) < ($1.key.label, $1.key.dimensions)
    }) {
      let kind =
        series.isSummary ? "summary" : name.label.hasSuffix("_total") ? "counter" : "gauge"
      if name.label != lastLabel { text += "# TYPE \(name.label) \(kind)\n" }
      lastLabel = name.label
      let value = series.current
      if series.isSummary {
        text += "\(name.label)_sum\(name.dimensions) \(value.sum)\n"
        text += "\(name.label)_count\(name.dimensions) \(value.count)\n"
      } else {
        text += "\(name.label)\(name.dimensions) \(value.sum)\n"
      }
    }
    return text
  }

  private func find(
    _ label: String, _ dimensions: [(String, String)], isSummary: Bool = false
  ) -> Series {
    let pairs = dimensions.map { "\(Self.name($0))=\"\(Self.escaped($1))\"" }
    let name = Name(
      label: Self.name(label),
      dimensions: pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}")
    return series.withLock { series in
      if let known = series[name] { return known }
      let new = Series(isSummary: isSummary)
      series[name] = new
      return new
    }
  }

  private static func name(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  public func makeCounter(
    label: String, dimensions: [(String, String)]
  ) -> any CounterHandler { find(label, dimensions) }

  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { find(label, dimensions) }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    find(label, dimensions)
  }

  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { find(label, dimensions, isSummary: aggregate) }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    find(label, dimensions, isSummary: true)
  }

  // Series live as long as the server: what an app has counted stays when it is closed.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}
}

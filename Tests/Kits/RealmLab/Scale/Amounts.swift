import Foundation

/// Figures as people read them.
enum Amount {
  static func ms(_ nanoseconds: UInt64) -> String {
    String(format: "%.2f ms", Double(nanoseconds) / 1e6)
  }

  static func mb(_ bytes: UInt64) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }

  static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
}

extension [UInt64] {
  /// 0 if there are none.
  var median: UInt64 { isEmpty ? 0 : sorted()[count / 2] }
}

/// What becomes of a property's values when its type changes: only what the new type can hold is
/// carried over.
struct ValueConversion {
  private let target: PropertyDescription
  private let convert: (StoredValue) -> StoredValue?

  /// Nil where nothing can be carried over.
  init?(from source: PropertyDescription, to target: PropertyDescription) {
    guard source.collection == target.collection else { return nil }
    self.target = target
    switch (source.kind, target.kind) {
    case (let old, let new) where old == new:
      guard source.linkTarget == target.linkTarget else { return nil }
      convert = { $0 }
    case (_, .any): convert = { $0 }
    case (.int, .double):
      convert = { if case .int(let value) = $0 { .double(Double(value)) } else { nil } }
    case (.int, .decimal128):
      convert = {
        if case .int(let value) = $0 { .decimal128(DecimalNumber(value).bits) } else { nil }
      }
    case (.float, .double):
      convert = { if case .float(let value) = $0 { .double(Double(value)) } else { nil } }
    default: return nil
    }
  }

  /// The value for the new property; its default where there was none.
  func value(_ old: StoredValue) -> StoredValue {
    if old == .null { return target.defaultValue }
    return convert(old) ?? target.defaultValue
  }
}

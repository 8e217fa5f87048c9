import ObjectStore
import SyncProtocol

// A set has one of all values that compare as equal, 1.5 and 1.50 for example, and so there is one
// cell for all of them: its slot has the simplest of them, its value says which one is there.
extension CellValue {
  /// What the slot of this member has, in a set of that property.
  func memberName(in property: PropertyDescription) -> CellValue {
    switch self {
    case .float, .double, .decimal:
      guard let stored = stored(for: property) else { return self }
      return CellValue(stored.simplest(inSetOf: property.kind)) ?? self
    default: return self
    }
  }

  /// What the cell of this member has as its value.
  func memberValue(named name: CellValue) -> CellValue { self == name ? .bool(true) : self }

  /// The member that a cell with this value has, if its slot has that name.
  func member(named name: CellValue, in property: PropertyDescription) -> CellValue {
    self != .bool(true) && memberName(in: property) == name ? self : name
  }
}

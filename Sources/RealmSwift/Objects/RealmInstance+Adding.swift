import ObjectStore
import Storage

/// An object that has its row and is yet to be written into it.
struct UnwrittenObject {
  let object: ObjectBase
  let binding: TableBinding
  let mode: _TransferMode
}

/// An unmanaged object and the values that it is yet to be given.
struct UnfilledObject {
  let object: ObjectBase
  private let info: ClassInfo
  private let source: PropertySource

  init(_ type: ObjectBase.Type, _ value: Any) {
    info = ClassInfo.of(type)
    source = PropertySource(value, for: info)
    object = type.init()
  }

  func fill(_ realm: _RealmInstance?) { object._fill(from: source, info, realm) }
}

// Writing the values of objects that have become part of the realm. Values that are objects become
// part of it in turn, so a long chain of them would take much stack: from some depth on, objects
// get their rows at once, and are written when the stack is down again.
extension _RealmInstance {
  private static let addingDepthMax = 32

  /// Writes an object's values into its row, and makes its properties managed ones.
  func write(_ object: ObjectBase, _ binding: TableBinding, _ mode: _TransferMode) {
    let writing = writing!
    if writing.addingDepth >= Self.addingDepthMax {
      writing.unwritten.append(UnwrittenObject(object: object, binding: binding, mode: mode))
      return
    }
    writing.addingDepth += 1
    move(object, binding, mode, writing.objects)
    if writing.addingDepth == 1 {
      while let next = writing.unwritten.popLast() {
        move(next.object, next.binding, next.mode, writing.objects)
      }
    }
    writing.addingDepth -= 1
  }

  /// Gives an object its values; in time, where it is held by many others that are being filled.
  func fill(_ object: UnfilledObject) {
    if fillingDepth >= Self.addingDepthMax { return unfilled.append(object) }
    fillingDepth += 1
    object.fill(self)
    if fillingDepth == 1 {
      while let next = unfilled.popLast() { next.fill(self) }
    }
    fillingDepth -= 1
  }

  private func move(
    _ object: ObjectBase, _ binding: TableBinding, _ mode: _TransferMode,
    _ objects: ObjectTransaction
  ) {
    guard case .new = mode else { return overwrite(object, binding, mode) }
    let row = RowFiller(
      objects: objects, readState: readState, table: binding.table,
      key: ObjectKey(rawValue: object._key), primaryKeyColumn: binding.primaryKeyColumn)
    // Held for the whole loop, which would else keep and release them at each step.
    let (fields, columns) = (binding.info.fields, binding.columns)
    for index in columns.indices { row.move(fields[index], columns[index], of: object) }
  }

  private func overwrite(_ object: ObjectBase, _ binding: TableBinding, _ mode: _TransferMode) {
    let base = FieldAddress(object, at: 0)
    for (field, column) in zip(binding.info.fields, binding.columns) {
      field.type.transfer(base.advanced(by: field.offset), of: object, column: column, mode)
    }
    withExtendedLifetime(object) {}
  }
}

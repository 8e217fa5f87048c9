/// An embedded object that has its row and is yet to be given its values.
struct UnfilledRow {
  let object: DynamicObject
  let binding: TableBinding
  let source: PropertySource

  init(_ object: DynamicObject, _ binding: TableBinding, _ source: PropertySource) {
    self.object = object
    self.binding = binding
    self.source = source
  }
}

/// An object that has its row and is yet to be written into it.
struct UnwrittenObject {
  let object: ObjectBase
  let binding: TableBinding
  let mode: _TransferMode
}

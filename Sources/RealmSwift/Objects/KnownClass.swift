/// The object as one of the class that it is known to be of: that of its binding, or the one that
/// it was made as. A debug build checks it; in a loop over objects the check would cost as much as
/// making them.
@inlinable @inline(__always)
func known<Base: ObjectBase, Known: ObjectBase>(_ object: Base, as type: Known.Type) -> Known {
  unsafe unsafeDowncast(object, to: type)
}

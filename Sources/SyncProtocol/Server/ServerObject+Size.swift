/// How large an object is, as a batch or a slice has it whole.
extension ServerObject {
  /// About as many bytes as it takes to send it whole.
  var byteEstimate: Int {
    var bytes = 32
    for container in containers.values {
      bytes += 32 + 24 * (container.list?.tree.order.livingCount ?? 0)
      for (slot, register) in container.registers {
        bytes += 8 + slot.byteEstimate + register.value.byteEstimate
      }
    }
    return bytes
  }

  /// The object after a merge; nil if it is too large then, and larger than it was.
  ///
  /// To be asked only when what was merged since it was measured last may have made it too large:
  /// so a list that grows by one element at a time costs no more than before.
  func merged(
    _ change: ObjectChange, from author: ClientID, as version: ServerVersion, upTo limit: Int
  ) -> ServerObject? {
    var merged = self
    merged.merge(change, from: author, as: version)
    merged.byteBound = merged.byteEstimate
    return merged.byteBound <= limit || merged.byteBound <= byteEstimate ? merged : nil
  }
}

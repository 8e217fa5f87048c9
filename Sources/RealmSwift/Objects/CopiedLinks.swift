/// Objects that are being copied into the realm, each because one before it links to it.
///
/// Copying goes on by calling itself as far as a few links. What is further away is there at once
/// and gets its values when the first copy has returned, so that chains of any length can be
/// followed on any stack.
struct CopiedLinks {
  private static let depthMax = 32

  var depth = 0
  var postponed: [(object: ObjectBase, source: PropertySource)] = []

  var isTooDeep: Bool { depth > Self.depthMax }
}

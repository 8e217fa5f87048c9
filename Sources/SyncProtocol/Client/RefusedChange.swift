/// A change that the server did not take: it has been taken back, and what the server has stands in
/// its place, but for what was written since. The program hears of it as a compensating write.
public struct RefusedChange: Hashable, Sendable {
  /// Which object.
  public var object: ObjectID
  /// Why, and up to which batch.
  public var refusal: ObjectNews.Refusal

  /// From its parts.
  public init(object: ObjectID, refusal: ObjectNews.Refusal) {
    self.object = object
    self.refusal = refusal
  }
}

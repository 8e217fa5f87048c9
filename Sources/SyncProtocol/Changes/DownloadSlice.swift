/// What the server says of one object.
public struct ObjectNews: Hashable, Sendable {
  /// How to take the change.
  public enum Kind: UInt8, Hashable, Sendable {
    /// Cells that changed; the client has the others.
    case update = 0
    /// The whole object; what is not in it is not there.
    case snapshot = 1
    /// The object was deleted, or there never was one.
    case dead = 2
    /// The object is not in view any more.
    case evicted = 3
  }

  /// Why the server did not take the client's changes of the object.
  public struct Refusal: Hashable, Sendable {
    /// The batch whose changes were refused; later ones stand.
    public var batch: UInt64
    /// What was wrong.
    public var reason: RefusalReason

    /// From its parts.
    public init(batch: UInt64, reason: RefusalReason) {
      self.batch = batch
      self.reason = reason
    }
  }

  /// How to take the change.
  public var kind: Kind
  /// The object, its generation, and its cells.
  public var change: ObjectChange
  /// Set if it takes the place of what the client wrote.
  public var refusal: Refusal?
  /// The newest creation of the object by the client that the server has merged, and the client may
  /// not know to be.
  public var creation: MergedCreation?

  /// From its parts.
  public init(kind: Kind, change: ObjectChange, refusal: Refusal? = nil) {
    self.kind = kind
    self.change = change
    self.refusal = refusal
  }
}

/// A creation of an object, as the server has merged it.
public struct MergedCreation: Hashable, Sendable {
  /// When and by whom it was created; no cell has this stamp.
  public var stamp: Stamp
  /// The generation that it made, or joined.
  public var generation: Generation
  /// The version that it was merged in.
  public var version: ServerVersion

  /// From its parts.
  public init(stamp: Stamp, generation: Generation, version: ServerVersion) {
    self.stamp = stamp
    self.generation = generation
    self.version = version
  }
}

/// Why changes of one object were refused.
public enum RefusalReason: UInt8, Hashable, Sendable {
  /// The user may not do this.
  case notAllowed = 0
  /// A class or a property is not in the schema.
  case notInSchema = 1
  /// A value does not have the type that the schema says.
  case wrongType = 2
  /// The object would be larger than one may be.
  case tooLarge = 3
}

extension RefusalReason: CustomStringConvertible {
  /// The name of the reason, with the limit if there is one.
  public var description: String {
    switch self {
    case .notAllowed: "notAllowed"
    case .notInSchema: "notInSchema"
    case .wrongType: "wrongType"
    case .tooLarge: "tooLarge: an object has at most \(Limits.objectBytes >> 20) MiB"
    }
  }
}

/// How far a client has come in a download.
public struct DownloadPosition: Hashable, Sendable {
  /// The server's number of it; 0 for none.
  public var number: UInt64
  /// How many slices of it the client has applied.
  public var slices: UInt64

  /// Of no download.
  public static let none = DownloadPosition(number: 0, slices: 0)

  /// From its parts.
  public init(number: UInt64, slices: UInt64) {
    self.number = number
    self.slices = slices
  }
}

/// A part of what a client has missed; usually all of it.
public struct DownloadSlice: Hashable, Sendable {
  /// The cursor that it starts from.
  public var from: ServerVersion
  /// The cursor of a client that has applied all slices up to the last one.
  public var to: ServerVersion
  /// Whether there are no more slices up to `to`.
  public var isLast = true
  /// Whether all slices together are all there is in view, so that the rest has to go.
  public var isRebase = false
  /// The download that it is a part of.
  public var download: UInt64 = 0
  /// The client's newest batch that is merged in `to`; only with the last slice.
  public var acknowledged: UInt64 = 0
  /// The latest time of any write that the server has merged.
  public var time: UInt64 = 0
  /// What the server no longer keeps marks of: deletions up to here are to be forgotten.
  public var floor: ServerVersion = .zero
  /// The query set that is complete with the last slice.
  public var queryVersion: UInt64 = 0
  /// How many objects come after this slice.
  public var remaining: UInt64 = 0
  /// The changes.
  public var objects: [ObjectNews] = []

  /// An empty last slice.
  public init(from: ServerVersion, to: ServerVersion) {
    self.from = from
    self.to = to
  }
}

extension DownloadSlice {
  /// The bytes of the slice, which frames then carry in parts.
  public func encoded(names: Names) -> [UInt8] {
    var writer = ChangeWriter(names: names)
    writer.body.number(from.rawValue)
    writer.body.number(to.rawValue)
    writer.body.byte((isLast ? 1 : 0) | (isRebase ? 2 : 0))
    for value in [download, acknowledged, time, floor.rawValue, queryVersion, remaining] {
      writer.body.number(value)
    }
    writer.body.count(objects.count)
    for object in objects {
      writer.body.byte(
        object.kind.rawValue | (object.refusal != nil ? 0x80 : 0)
          | (object.creation != nil ? 0x40 : 0))
      if let refusal = object.refusal {
        writer.body.number(refusal.batch)
        writer.body.byte(refusal.reason.rawValue)
      }
      if let creation = object.creation {
        writer.stamp(creation.stamp)
        writer.body.number(creation.generation.rawValue)
        writer.body.number(creation.version.rawValue)
      }
      writer.change(object.change)
    }
    return writer.finish()
  }

  /// The floor of a slice that is part of a rebase, as its bytes say; nil of another one.
  static func floorOfRebase(_ bytes: [UInt8]) -> ServerVersion? {
    var names = Names()
    guard var reader = try? ChangeReader(bytes, known: &names, adding: true) else { return nil }
    do {
      for _ in 0..<2 { _ = try reader.body.number() }
      guard try reader.body.byte() & 2 != 0 else { return nil }
      for _ in 0..<3 { _ = try reader.body.number() }
      return ServerVersion(try reader.body.number())
    } catch {
      return nil
    }
  }

  /// The floor if the slice is part of a rebase.
  var floorOfRebase: ServerVersion? { isRebase ? floor : nil }

  /// Reads a slice; names that are new to the client are added to its own.
  public static func decode(
    _ bytes: [UInt8], names: inout Names
  ) throws(WireError) -> DownloadSlice {
    var reader = try ChangeReader(bytes, known: &names, adding: true)
    var slice = DownloadSlice(
      from: ServerVersion(try reader.body.number()), to: ServerVersion(try reader.body.number()))
    let flags = try reader.body.byte()
    guard flags < 4 else { throw .unknownKind(flags) }
    slice.isLast = flags & 1 != 0
    slice.isRebase = flags & 2 != 0
    slice.download = try reader.body.number()
    slice.acknowledged = try reader.body.number()
    slice.time = try reader.body.number(upTo: Limits.latestTime)
    slice.floor = ServerVersion(try reader.body.number())
    slice.queryVersion = try reader.body.number()
    slice.remaining = try reader.body.number()
    let count = try reader.body.count(of: 5)
    for _ in 0..<count { slice.objects.append(try reader.news()) }
    try reader.body.finish()
    return slice
  }
}

extension ChangeReader {
  private mutating func mergedCreation() throws(WireError) -> MergedCreation {
    let merged = MergedCreation(
      stamp: try stamp(), generation: try generation(),
      version: ServerVersion(try body.number()))
    // It made an object, or joined one.
    guard merged.generation.isAlive else { throw .numberOutOfRange }
    return merged
  }

  fileprivate mutating func news() throws(WireError) -> ObjectNews {
    let byte = try body.byte()
    guard let kind = ObjectNews.Kind(rawValue: byte & 0x3F) else { throw .unknownKind(byte) }
    var refusal: ObjectNews.Refusal?
    if byte & 0x80 != 0 {
      let batch = try body.number()
      let code = try body.byte()
      guard let reason = RefusalReason(rawValue: code) else { throw .unknownKind(code) }
      refusal = ObjectNews.Refusal(batch: batch, reason: reason)
    }
    var creation: MergedCreation?
    if byte & 0x40 != 0 {
      creation = try mergedCreation()
    }
    var news = ObjectNews(kind: kind, change: try change(isUpload: false), refusal: refusal)
    news.creation = creation
    return news
  }
}

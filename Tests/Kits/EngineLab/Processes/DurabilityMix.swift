import Storage
import TestSupport

/// How durable the commits of a contender are: one level, or one drawn for each commit; the latter
/// also in an encrypted file.
public enum DurabilityMix: String, CaseIterable, Sendable {
  case full
  case strict
  case grouped
  case relaxed
  case inMemory
  case mixed
  case encrypted

  /// What the database is opened with.
  public var opening: Durability {
    switch self {
    case .full, .mixed, .encrypted: .full
    case .strict: .strict
    case .grouped: .grouped
    case .relaxed: .relaxed
    case .inMemory: .inMemory
    }
  }

  public func draw(_ random: inout SeededGenerator) -> Durability {
    guard self == .mixed || self == .encrypted else { return opening }
    return [.full, .strict, .grouped, .relaxed][random.below(4)]
  }

  public var options: DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = opening
    if self == .encrypted { options.encryptionKey = .lab }
    options.relaxedFlushDelayMilliseconds = 20
    unsafe options.mergeHistory = { older, newer in
      unsafe Array(older.prefix(8)) + Array(newer.suffix(8))
    }
    return options
  }
}

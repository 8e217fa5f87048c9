/// When the agent of a file looks at what programs commit: at once after a quiet time, else a
/// little later, and where they commit on and on much later.
///
/// Each batch takes the writer's role from programs, to be made and to be acknowledged, and what
/// they write again and again is sent once. So while they make many commits it is gathered, for as
/// long as the agent's work is a small part of the time. How many are many depends on what one
/// takes: where each is flushed, a program that writes on and on makes few, and would wait for one
/// of the agent's with nearly each of its own.
///
/// A value without a clock: times are microseconds of one that never goes back. The agent looks
/// between `beginLook` and `endLook`, and calls `pauseEnded` when the pause is over; until then no
/// commit wakes it.
package struct AgentPace: Sendable {
  /// For so long after a look commits do not wake the agent: whoever commits many times would else
  /// wait for it to be woken each time.
  package static let pauseMilliseconds = 2
  /// As many commits of programs in a millisecond are many.
  package static let manyCommitsPerMillisecond = 8
  /// Several are many, too, if there was one for each time that so many of the agent's own take.
  package static let ownCommitsForOne = 8
  /// For how long what they write is gathered at least, and at most.
  package static let gatherMilliseconds = 50...1000
  /// The agent works one part of the time, and lets programs work so many, within these bounds.
  package static let restForWork = 20

  /// What there is to do at the end of a pause.
  package enum Next: Equatable, Sendable {
    /// To look at what was committed meanwhile.
    case look
    /// To send what was gathered: nothing was committed since.
    case sendGathered
    /// To wait for a commit, which wakes the agent.
    case rest
  }

  /// The newest version when the agent looked last, and its own commits since.
  private var knownVersion: UInt64 = 0
  private var lookedAt: UInt64 = 0
  /// What the agent has worked since the last pause began, without the look under way.
  private var work: UInt64 = 0
  /// What the agent's own commits take, and those since the last look.
  private var ownCommitMicroseconds: UInt64 = 0
  private var ownCommits: (count: UInt64, microseconds: UInt64) = (0, 0)
  private var areMany = false
  /// Whether nothing is sent before the pause is over, whatever wakes the agent.
  package private(set) var gathers = false

  package init() {}

  /// The agent itself has committed, which does not count.
  ///
  /// - Parameter microseconds: what that took, without the wait for the turn to write.
  package mutating func committed(microseconds: UInt64) {
    knownVersion += 1
    ownCommits.count += 1
    ownCommits.microseconds += microseconds
  }

  /// The agent has worked between looks.
  package mutating func worked(microseconds: UInt64) { work += microseconds }

  /// The agent looks at the newest version, and may send what there is.
  package mutating func beginLook(at version: UInt64, now: UInt64) {
    let commits = knownVersion == 0 ? 0 : version - min(version, knownVersion)
    let time = now - min(now, lookedAt)
    if ownCommits.count > 0 {
      ownCommitMicroseconds = ownCommits.microseconds / ownCommits.count
      ownCommits = (0, 0)
    }
    areMany =
      commits > 0 && commits * 1000 >= UInt64(Self.manyCommitsPerMillisecond) * time
      || commits > 1
        && (commits - 1) * ownCommitMicroseconds * UInt64(Self.ownCommitsForOne) >= time
    knownVersion = version
    lookedAt = now
    gathers = false
  }

  /// It has looked.
  ///
  /// - Returns: the milliseconds of the pause that begins.
  package mutating func endLook(now: UInt64) -> Int {
    work += now - min(now, lookedAt)
    let rest = Int(work) * Self.restForWork / 1000
    work = 0
    gathers = areMany
    guard areMany else { return Self.pauseMilliseconds }
    let bounds = Self.gatherMilliseconds
    return min(max(rest, bounds.lowerBound), bounds.upperBound)
  }

  /// - Parameter hasNews: whether there were commits since the last look.
  package mutating func pauseEnded(hasNews: Bool) -> Next {
    if hasNews { return .look }
    guard gathers else { return .rest }
    gathers = false
    return .sendGathered
  }
}

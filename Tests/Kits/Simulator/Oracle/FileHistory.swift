import Storage

/// What an oracle knows of one file: every commit that was ever tried on it, and which of them must
/// be there.
final class FileHistory {
  enum Outcome {
    /// Under way, or its process died in it: there or not.
    case open
    case acknowledged
    /// It threw after a flush had failed: there or not.
    case uncertain
    /// It threw: not there.
    case failed
  }

  struct Commit {
    var parent: Int
    var leaves: [ChainModel.Leaf]
    var durability: Durability
    var outcome = Outcome.open
  }

  let name: String
  private let trace: (String) -> Void
  /// Commit 0 is the empty file. A commit's number is its position.
  private(set) var commits: [Commit] = [
    Commit(parent: 0, leaves: [], durability: .full, outcome: .acknowledged)
  ]
  /// What everybody must see from here on, or what was built on it.
  private(set) var visible = 0
  /// What must survive everything.
  private(set) var durable = 0
  /// A flush has failed and dropped pages: what is not durable may be given up.
  private(set) var mayGiveUp = false
  /// Nobody has been told of that: those who go on do not write again what they see before they
  /// flush.
  private(set) var isFailureUnknown = false
  /// Commits before this one had been written when pages were dropped.
  private var doubtEnd = 0
  /// Processes from when they begin to open the file to when they begin to close it.
  private(set) var members: Set<Int> = []
  /// Processes in which a close is under way.
  private var closers: Set<Int> = []
  private var joins = 0
  /// How often a failed flush has dropped pages.
  private(set) var drops = 0
  /// The step of the last time.
  private var lastDrop: Int?
  /// How often a process has been told that a flush failed.
  var failedFlushes = 0
  /// Who has the writer role.
  var writer: SimulatedProcess?

  init(name: String, trace: @escaping (String) -> Void) {
    self.name = name
    self.trace = trace
  }

  subscript(number: Int) -> Commit? {
    commits.indices.contains(number) ? commits[number] : nil
  }

  /// Whether `old` is `new` or one of those that it was built on.
  func isPart(_ old: Int, of new: Int) -> Bool {
    var number = new
    while number > old { number = commits[number].parent }
    return number == old
  }

  // MARK: What happens

  func begin(on parent: Int, leaves: [ChainModel.Leaf], durability: Durability) -> Int {
    commits.append(Commit(parent: parent, leaves: leaves, durability: durability))
    return commits.count - 1
  }

  func acknowledge(_ number: Int) {
    commits[number].outcome = .acknowledged
    saw(number)
    switch commits[number].durability {
    case .full, .strict: isDurable(number)
    default: break
    }
  }

  func fail(_ number: Int, _ outcome: Outcome) { commits[number].outcome = outcome }

  /// Somebody has seen it: it is published.
  func saw(_ number: Int) {
    if !mayGiveUp, number > visible, isPart(visible, of: number) { visible = number }
  }

  /// It has been said to be durable.
  func isDurable(_ number: Int) {
    guard number > durable, isPart(durable, of: number) else { return }
    durable = number
    trace("\(name): \(number) must survive everything")
    if number >= doubtEnd { endDoubt() }
    if mayGiveUp { visible = durable } else { saw(number) }
  }

  func lostPower() {
    endDoubt()
    restarted()
  }

  private func endDoubt() {
    mayGiveUp = false
    isFailureUnknown = false
  }

  /// Everybody has gone, and what is not durable is of another boot.
  func restarted() {
    writer = nil
    visible = durable
    members = []
    closers = []
  }

  func droppedPages(at step: Int) {
    drops += 1
    lastDrop = step
    mayGiveUp = true
    doubtEnd = commits.count
    visible = durable
  }

  /// Of the pages that were dropped last nobody has been told.
  func lostWordOfFailure() { isFailureUnknown = true }

  /// Whether the nodes of the commit may be gone although it is pinned.
  func isDoubtful(_ number: Int) -> Bool {
    (number < doubtEnd || isFailureUnknown) && !isPart(number, of: durable)
  }

  /// Nobody has the in-memory file open any more.
  func emptied() { visible = 0 }

  // MARK: Members

  func join(_ process: SimulatedProcess) {
    joins += 1
    members.insert(process.number)
    closers.remove(process.number)
  }

  /// A process has opened the file when nobody else had it open: what it found is settled, unless
  /// pages have been dropped since, or nobody was told that they had been: then it is written again
  /// before the next flush, and until then its pages may change.
  func openedAlone(at step: Int) {
    guard step > lastDrop ?? -1, !isFailureUnknown else { return }
    mayGiveUp = false
  }

  func leave(_ process: SimulatedProcess) {
    members.remove(process.number)
    closers.remove(process.number)
    if writer === process { writer = nil }
  }

  /// What a close that begins now makes durable, if it is the last one.
  func closing(_ process: SimulatedProcess) -> Closing {
    leave(process)
    let isLast = members.isEmpty && closers.isEmpty
    closers.insert(process.number)
    return Closing(number: visible, isLast: isLast, joins: joins, failedFlushes: failedFlushes)
  }

  /// Nothing keeps the file open any more in a process that has closed it.
  func hasClosed(_ process: SimulatedProcess) { closers.remove(process.number) }

  func closed(_ closing: Closing) {
    let now = Closing(
      number: closing.number, isLast: true, joins: joins, failedFlushes: failedFlushes)
    if members.isEmpty, !mayGiveUp, now == closing { isDurable(closing.number) }
  }

  /// What there was when a close began.
  struct Closing: Equatable {
    var number: Int
    /// Nobody else had the file open: one who is in a transaction, or flushes in a close of its
    /// own, may keep the close from flushing, and be killed in it.
    var isLast: Bool
    var joins: Int
    var failedFlushes: Int
  }

  // MARK: What must hold

  /// Says what is wrong with finding `number` as the newest version, which has the number `version`
  /// in the file, when `floor` was there before somebody began to look.
  func objection(to number: Int, in version: Version, floor: Int) -> String? {
    // A page that a failed flush has left may change while it is read. One of zeros reads like
    // that of the empty file, which is the first version.
    if mayGiveUp, number == 0, version > Version(1) { return nil }
    guard let commit = self[number] else {
      return mayGiveUp ? nil : "\(name) holds what nobody wrote (\(number))"
    }
    if commit.outcome == .failed {
      return "commit \(number) of \(name), which had failed, is there"
    }
    if !isPart(floor, of: number) {
      let durability = commits[floor].durability
      return "commit \(floor) (\(durability), durable \(durable)) of \(name) is lost, \(number) is"
        + " the newest"
    }
    return nil
  }
}

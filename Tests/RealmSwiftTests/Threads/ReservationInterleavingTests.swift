import RealmSwift
import Storage
import Testing

/// A line of writers with one place in it that somebody may be too busy to come for, and others
/// behind it.
private final class ModelLine {
  enum Event: CaseIterable {
    /// The writer is free for the place; or it cannot be had.
    case turn, failedTurn
    /// As long as a turn is kept.
    case time
    case claim, withdraw
  }

  private final class Turn {
    let begin: Int
    var isOver = false
    init(begin: Int) { self.begin = begin }
  }

  private typealias State = ReservationState<Turn, Int>

  private(set) var mistakes: [String] = []
  private var state = State()
  private var now = 0
  private var isInLine = true
  private var isWanted = true
  private var turns: [Turn] = []
  private var timers: [(due: Int, turn: Turn)] = []

  init(_ fault: ReservationState<AnyObject, Int>.Fault?) {
    switch fault {
    case .keepsTurnsLongerEachTime: state.fault = .keepsTurnsLongerEachTime
    case .keepsTurnsThatNobodyWants: state.fault = .keepsTurnsThatNobodyWants
    case .leavesTheLine: state.fault = .leavesTheLine
    case .isClaimedTwice: state.fault = .isClaimedTwice
    case nil: break
    }
    _ = state.isInLine(0)
  }

  /// Returns false if the event cannot happen now.
  func happen(_ event: Event) -> Bool {
    switch event {
    case .turn:
      // One turn at a time, and the place gets one after it got in line.
      if !isInLine || turns.contains(where: { !$0.isOver }) { return false }
      isInLine = false
      let turn = Turn(begin: now)
      turns.append(turn)
      switch state.arrived(.success(turn)) {
      case .keep(let milliseconds): timers.append((now + milliseconds, turn))
      case .giveBack: end(turn)
      case .nothing: break
      }
    case .failedTurn:
      if !isInLine { return false }
      isInLine = false
      _ = state.arrived(.failure(StorageError(.outOfDiskSpace, path: "", "planned")))
    case .time:
      if timers.isEmpty { return false }
      passTime()
    case .claim:
      if !isWanted { return false }
      claim()
    case .withdraw:
      if !isWanted { return false }
      isWanted = false
      if let turn = state.withdraw().transaction { end(turn) }
    }
    return true
  }

  private func passTime() {
    now += State.claimTimeoutMilliseconds
    let due = timers.filter { $0.due <= now }
    timers.removeAll { $0.due <= now }
    for (_, turn) in due {
      guard case .giveBack(let getsInLineAgain) = state.timedOut(turn) else { continue }
      end(turn)
      if getsInLineAgain {
        isInLine = true
        if !state.isInLine(turns.count) { mistakes.append("in line again though nobody wants it") }
      } else if turns.count < State.turnsMax {
        mistakes.append("the place is lost after \(turns.count) turns")
      }
    }
    for turn in turns where !turn.isOver && now - turn.begin >= State.claimTimeoutMilliseconds {
      mistakes.append("a turn has kept others waiting for \(now - turn.begin) ms")
    }
  }

  private func claim() {
    switch state.claim() {
    case .transaction(let turn):
      if turn.isOver { mistakes.append("a turn was claimed that is over") }
      end(turn)
    case .failed, .expired: isWanted = false
    case .tooEarly: break
    }
  }

  private func end(_ turn: Turn) {
    if turn.isOver { mistakes.append("a turn has ended twice") }
    turn.isOver = true
  }

  func finish() {
    while !timers.isEmpty { passTime() }
    if turns.contains(where: { !$0.isOver }) { mistakes.append("a turn has not ended") }
  }
}

/// All orders of what can happen to a place in the line of writers, up to a depth.
@Suite struct ReservationInterleavingTests {
  private typealias Fault = ReservationState<AnyObject, Int>.Fault

  private func firstMistake(_ fault: Fault?) -> (orders: Int, mistake: String?) {
    var orders = 0
    func explore(_ events: [ModelLine.Event]) -> String? {
      let line = ModelLine(fault)
      var last = true
      for event in events { last = line.happen(event) }
      if !last { return nil }
      if events.count < 8 {
        for event in ModelLine.Event.allCases {
          if let mistake = explore(events + [event]) { return mistake }
        }
      }
      orders += 1
      line.finish()
      return line.mistakes.first.map { "\($0) after \(events)" }
    }
    let mistake = explore([])
    return (orders, mistake)
  }

  @Test("a turn that nobody takes goes on to the next writer at once, whatever happened before")
  func everyOrder() {
    let (orders, mistake) = firstMistake(nil)
    #expect(mistake == nil)
    #expect(orders > 500)
  }

  @Test("a mistake with reserved turns is found", arguments: Fault.allCases)
  private func mistakesAreFound(_ fault: Fault) {
    #expect(firstMistake(fault).mistake != nil)
  }

  @Test("a place that nobody comes for expires after some turns")
  func expiry() {
    final class Turn {}
    var state = ReservationState<Turn, Int>()
    for number in 1...ReservationState<Turn, Int>.turnsMax {
      let turn = Turn()
      guard case .keep = state.arrived(.success(turn)),
        case .giveBack(let again) = state.timedOut(turn)
      else {
        Issue.record("turn \(number) is not given back")
        return
      }
      #expect(again == (number < ReservationState<Turn, Int>.turnsMax))
    }
    guard case .expired = state.claim() else {
      Issue.record("it has not expired")
      return
    }
  }
}

import SyncProtocol
import Testing

/// An agent, programs that commit, and a server that answers, on a clock of microseconds.
private struct PacedAgent {
  private enum Alarm {
    case none, news, seen
  }

  private var pace = AgentPace()
  private var alarm = Alarm.none
  private var now = 0
  private var pauseEnd: Int?
  private var answer: Int?
  private var version: UInt64 = 1
  private var unsent: [Int] = []
  /// When batches were sent.
  private(set) var batches: [Int] = []
  /// How long the longest of the commits waited that were sent.
  private(set) var longestWait = 0
  private let answerMicroseconds: Int
  /// What a batch takes of the agent, and as much its answer.
  private let workMicroseconds: Int
  /// Commits that the agent makes for each batch and each answer.
  private let ownCommits: Int
  /// What each of them takes.
  private let commitMicroseconds: UInt64

  init(
    answerMicroseconds: Int = 300, workMicroseconds: Int = 100, ownCommits: Int = 1,
    commitMicroseconds: UInt64 = 10
  ) {
    self.commitMicroseconds = commitMicroseconds
    self.answerMicroseconds = answerMicroseconds
    self.workMicroseconds = workMicroseconds
    self.ownCommits = ownCommits
  }

  var isAllSent: Bool { unsent.isEmpty }

  /// Programs commit so many times, at equal distances.
  mutating func commit(_ count: Int, perMillisecond rate: Int) {
    let start = now
    for index in 0..<count {
      run(until: start + index * 1000 / rate)
      version += 1
      unsent.append(now)
      let wakes = alarm == .none
      alarm = .news
      if wakes { look() }
    }
  }

  /// Lets time pass.
  mutating func rest(milliseconds: Int) { run(until: now + milliseconds * 1000) }

  private mutating func run(until time: Int) {
    while let next = [pauseEnd, answer].compactMap({ $0 }).min(), next <= time {
      now = next
      if answer == next {
        answer = nil
        commitOwn()
        pace.worked(microseconds: UInt64(workMicroseconds))
        send()
      } else {
        pauseEnd = nil
        endPause()
      }
    }
    now = time
  }

  private mutating func look() {
    alarm = .seen
    pace.beginLook(at: version, now: UInt64(now))
    send()
    let end = now + workMicroseconds
    pauseEnd = end + pace.endLook(now: UInt64(end)) * 1000
  }

  private mutating func endPause() {
    let hasNews = alarm == .news
    if !hasNews { alarm = .none }
    switch pace.pauseEnded(hasNews: hasNews) {
    case .look: look()
    case .sendGathered: send()
    case .rest: break
    }
  }

  private mutating func send() {
    guard answer == nil, !pace.gathers, let first = unsent.first else { return }
    longestWait = max(longestWait, now - first)
    unsent = []
    batches.append(now)
    answer = now + answerMicroseconds
    commitOwn()
  }

  private mutating func commitOwn() {
    for _ in 0..<ownCommits {
      version += 1
      pace.committed(microseconds: commitMicroseconds)
    }
  }
}

@Suite("the agent's pace") struct AgentPaceTests {
  @Test("sends what a program writes after a quiet time at once")
  func quiet() {
    var agent = PacedAgent()
    for _ in 0..<10 {
      agent.commit(1, perMillisecond: 1)
      agent.rest(milliseconds: 20)
    }
    #expect(agent.batches.count == 10)
    #expect(agent.longestWait == 0)
  }

  /// The times between the batches that were sent last.
  private func lastDistances(_ agent: PacedAgent, _ count: Int) -> [Int] {
    zip(agent.batches.dropFirst(), agent.batches).map { $0 - $1 }.suffix(count)
  }

  @Test(
    "gathers for 50 ms where programs make more than 8 commits in a millisecond",
    arguments: [9, 20, 500])
  func many(rate: Int) {
    var agent = PacedAgent()
    agent.commit(1000 * rate, perMillisecond: rate)
    // Until the first pause is over it is not known that they are many.
    #expect(agent.batches.count { $0 > 2200 } == 19, "\(agent.batches)")
    let distances = lastDistances(agent, 18)
    #expect(distances.allSatisfy { (50_000...50_200).contains($0) }, "\(distances)")
    agent.rest(milliseconds: 60)
    #expect(agent.isAllSent)
    #expect(agent.longestWait <= 50_200)
  }

  @Test("does not gather where they make fewer", arguments: [1, 4, 7])
  func few(rate: Int) {
    var agent = PacedAgent()
    agent.commit(1000 * rate, perMillisecond: rate)
    agent.rest(milliseconds: 60)
    #expect(agent.batches.count > 400, "\(agent.batches.count)")
    #expect(agent.longestWait <= 2300, "\(agent.longestWait)")
    #expect(agent.isAllSent)
  }

  @Test("gathers where they make one in the time of eight of the agent's own", arguments: [2, 5])
  func flushed(rate: Int) {
    var agent = PacedAgent(answerMicroseconds: 800, ownCommits: 2, commitMicroseconds: 200)
    agent.commit(1000 * rate, perMillisecond: rate)
    let distances = lastDistances(agent, 15)
    #expect(distances.allSatisfy { (50_000...51_000).contains($0) }, "\(distances)")
    agent.rest(milliseconds: 60)
    #expect(agent.isAllSent)
  }

  @Test("does not gather where they make fewer than that")
  func flushedSeldom() {
    var agent = PacedAgent(answerMicroseconds: 800, ownCommits: 2, commitMicroseconds: 100)
    agent.commit(1000, perMillisecond: 1)
    agent.rest(milliseconds: 60)
    #expect(agent.batches.count > 250, "\(agent.batches.count)")
    #expect(agent.longestWait <= 3500, "\(agent.longestWait)")
    #expect(agent.isAllSent)
  }

  @Test("sends what was gathered last without another commit, and the next commit at once")
  func end() {
    var agent = PacedAgent()
    agent.commit(300, perMillisecond: 10)
    #expect(!agent.isAllSent)
    agent.rest(milliseconds: 52)
    #expect(agent.isAllSent)
    agent.rest(milliseconds: 60)
    let before = agent.batches.count
    agent.commit(1, perMillisecond: 1)
    #expect(agent.batches.count == before + 1)
    #expect(agent.isAllSent)
  }

  @Test(
    "gathers for twenty times as long as it works, up to a second",
    arguments: [(5_000, 200), (20_000, 800), (80_000, 1000)])
  func work(microseconds: Int, gather: Int) {
    var agent = PacedAgent(workMicroseconds: microseconds)
    agent.commit(100_000, perMillisecond: 10)
    let distances = lastDistances(agent, 6)
    for distance in distances {
      #expect(abs(distance - gather * 1000) <= 2 * microseconds, "\(distances)")
    }
  }

  @Test("does not count the agent's own commits")
  func own() {
    var agent = PacedAgent(ownCommits: 40)
    agent.commit(4000, perMillisecond: 4)
    agent.rest(milliseconds: 60)
    #expect(agent.batches.count > 400, "\(agent.batches.count)")
    #expect(agent.longestWait <= 2300, "\(agent.longestWait)")
  }
}

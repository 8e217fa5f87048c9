import RealmSwift
import Testing

/// All orders of what can happen to asynchronous writes, up to a depth.
@Suite struct AsyncWriteInterleavingTests {
  private typealias Event = ModelWriteHost.Event

  /// The first order of events in which a rule is broken, and how many orders were tried.
  private func firstMistake(
    depth: Int, _ fault: AsyncWriteQueue.Fault?
  ) -> (orders: Int, mistake: String?) {
    var orders = 0
    func explore(_ events: [Event]) -> String? {
      let host = ModelWriteHost(fault)
      var last = true
      for event in events { last = host.happen(event) }
      if !last { return nil }
      if events.count < depth {
        for event in Event.allCases {
          if let mistake = explore(events + [event]) { return mistake }
        }
        return nil
      }
      orders += 1
      host.finish()
      return host.mistakes.first.map { "\($0) after \(events)" }
    }
    let mistake = explore([])
    return (orders, mistake)
  }

  @Test(
    "writes run in order, once, and are completed when they are durable, whatever happens between")
  func everyOrder() {
    let (orders, mistake) = firstMistake(depth: 5, nil)
    #expect(mistake == nil)
    #expect(orders > 50_000)
  }

  @Test("a mistake in the queue is found", arguments: AsyncWriteQueue.Fault.allCases)
  func mistakesAreFound(_ fault: AsyncWriteQueue.Fault) {
    #expect(firstMistake(depth: 5, fault).mistake != nil)
  }
}

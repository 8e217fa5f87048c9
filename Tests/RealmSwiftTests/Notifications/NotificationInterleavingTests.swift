import RealmSwift
import Testing

/// All orders of what can happen to observers, up to a depth.
@Suite struct NotificationInterleavingTests {
  private typealias Event = ModelNotificationHost.Event

  /// Something to begin with, so that few more events reach the interesting places.
  private static let starts: [(events: [Event], depth: Int)] = [
    ([], 3), ([.turn], 3), ([.toggleDistance], 3), ([.turn, .toggleDistance], 3),
    ([.turn, .toggleDistance, .commitElsewhere, .turn, .addObserver, .runWorker, .turn], 3),
    ([.turn, .handlerWritesSilently, .commitElsewhere], 3),
    ([.turn, .toggleDistance, .handlerRefreshes, .commitElsewhere, .asyncRefresh], 3),
  ]

  /// The first order of events in which a rule is broken, and how many orders were tried.
  private func firstMistake(
    _ fault: NotificationFault?
  ) -> (orders: Int, mistake: String?) {
    var orders = 0
    func explore(_ events: [Event], _ depth: Int) -> String? {
      let host = ModelNotificationHost(fault)
      var isPossible = true
      for event in events { isPossible = host.happen(event) }
      if !isPossible { return nil }
      if depth > 0 {
        for event in Event.allCases {
          if let mistake = explore(events + [event], depth - 1) { return mistake }
        }
        return nil
      }
      orders += 1
      host.finish()
      return host.mistakes.first.map { "\($0) after \(events)" }
    }
    for start in Self.starts {
      if let mistake = explore(start.events, start.depth) { return (orders, mistake) }
    }
    return (orders, nil)
  }

  @Test("observers are told every change once, in order, unless they silenced it, whatever happens")
  func everyOrder() {
    let (orders, mistake) = firstMistake(nil)
    #expect(mistake == nil)
    #expect(orders > 10_000)
  }

  @Test("a mistake in the delivery is found", arguments: NotificationFault.allCases)
  func mistakesAreFound(_ fault: NotificationFault) {
    #expect(firstMistake(fault).mistake != nil)
  }
}

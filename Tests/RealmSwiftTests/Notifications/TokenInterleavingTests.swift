import RealmSwift
import Testing

/// A token of `observe(on:)` as the program has it, and what is set up for it on the queue.
private final class ModelToken {
  enum Event: CaseIterable {
    /// The queue comes to setting up the observer.
    case setUp
    case invalidate
    /// A write on the queue names the token.
    case name
  }

  private final class Observer {
    var isCancelled = false
  }

  private final class Inner {
    var state: TokenState<Observer, Inner>
    let observer: Observer
    init(_ observer: Observer) {
      self.observer = observer
      state = TokenState(observer)
    }

    func invalidate() { state.invalidate().observer?.isCancelled = true }
  }

  private(set) var mistakes: [String] = []
  private var state = TokenState<Observer, Inner>(nil)
  private var observer: Observer?
  private var isInvalidated = false

  init(_ fault: TokenState<AnyObject, AnyObject>.Fault?) {
    switch fault {
    case .knowsNothingBeforeSetUp: state.fault = .knowsNothingBeforeSetUp
    case .knowsOwnObserversOnly: state.fault = .knowsOwnObserversOnly
    case .startsAfterInvalidation: state.fault = .startsAfterInvalidation
    case .goesOnAfterInvalidation: state.fault = .goesOnAfterInvalidation
    case nil: break
    }
  }

  /// Returns false if the event cannot happen now.
  func happen(_ event: Event) -> Bool {
    switch event {
    case .setUp:
      if observer != nil { return false }
      let made = Observer()
      observer = made
      let inner = Inner(made)
      if !state.attach(inner) { inner.invalidate() }
    case .invalidate:
      let (observer, inner, wasActive) = state.invalidate()
      if wasActive == isInvalidated { mistakes.append("says wrongly whether it stopped anything") }
      observer?.isCancelled = true
      inner?.invalidate()
      isInvalidated = true
    case .name: name()
    }
    if isInvalidated, observer?.isCancelled == false { mistakes.append("the observer goes on") }
    return true
  }

  private func name() {
    let named: Observer?
    let isAccepted: Bool
    switch state.meaning {
    case .observer(let observer): (named, isAccepted) = (observer, true)
    case .inner(let inner):
      guard case .observer(let observer) = inner.state.meaning else {
        return mistakes.append("what was set up is no observer")
      }
      (named, isAccepted) = (observer, true)
    case .pending: (named, isAccepted) = (nil, true)
    case .nothing: (named, isAccepted) = (nil, false)
    }
    if isAccepted == isInvalidated { mistakes.append("accepted: \(isAccepted)") }
    if isAccepted, named !== observer { mistakes.append("it names another observer") }
  }
}

/// All orders of setting up an observer on a queue, invalidating its token and naming it in writes.
@Suite struct TokenInterleavingTests {
  private typealias Fault = TokenState<AnyObject, AnyObject>.Fault

  private func firstMistake(_ fault: Fault?) -> String? {
    func explore(_ events: [ModelToken.Event]) -> String? {
      let token = ModelToken(fault)
      var last = true
      for event in events { last = token.happen(event) }
      if !last { return nil }
      if let mistake = token.mistakes.first { return "\(mistake) after \(events)" }
      if events.count >= 5 { return nil }
      return ModelToken.Event.allCases.lazy.compactMap { explore(events + [$0]) }.first
    }
    return explore([])
  }

  @Test("a write on a queue may name a token of that queue from its start to its end")
  func everyOrder() {
    #expect(firstMistake(nil) == nil)
  }

  @Test("a mistake with tokens of queues is found", arguments: Fault.allCases)
  private func mistakesAreFound(_ fault: Fault) {
    #expect(firstMistake(fault) != nil)
  }
}

import RealmSwift

// thread-confined

extension Archive {
  fileprivate func keep(_ value: RLMIterator<Person>) { kept = value }
}

private func isPassedToAnActor(_ value: RLMIterator<Person>, _ archive: Archive) async {
  // expected-error@+2 {{sending 'value' risks causing data races}}
  // expected-note@+1 {{to actor-isolated instance method 'keep'}}
  await archive.keep(value)
}

@MainActor
private func leavesTheMainActor(_ value: RLMIterator<Person>) {
  // expected-error@+2 {{passing closure as a 'sending' parameter risks causing data races}}
  // expected-note@+1 {{closure captures}}
  Task.detached { _ = value }
}

import RealmSwift

// thread-confined

extension Archive {
  fileprivate func keep(_ value: Realm) { kept = value }
}

private func isPassedToAnActor(_ value: Realm, _ archive: Archive) async {
  // expected-error@+2 {{sending 'value' risks causing data races}}
  // expected-note@+1 {{to actor-isolated instance method 'keep'}}
  await archive.keep(value)
}

@MainActor
private func leavesTheMainActor(_ value: Realm) {
  // expected-error@+2 {{passing closure as a 'sending' parameter risks causing data races}}
  // expected-note@+1 {{closure captures}}
  Task.detached { _ = value }
}

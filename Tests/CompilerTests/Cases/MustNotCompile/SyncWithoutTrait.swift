import RealmSwift

// behind a trait of the package, which these cases do not turn on

private func logsIn() {
  // expected-error@+1 {{'App' is unavailable: turn on the package's trait Sync}}
  _ = App.self
}

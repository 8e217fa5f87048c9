import Storage

extension Realm {
  /// What a realm was opened with. Instances share it with their frozen copies, which are made
  /// often: a configuration names a dozen objects, and copying it counts each.
  final class OpenedConfiguration: Sendable {
    let value: Configuration
    let durability: Durability

    init(_ value: Configuration) {
      self.value = value
      durability = Durability(value)
    }
  }
}

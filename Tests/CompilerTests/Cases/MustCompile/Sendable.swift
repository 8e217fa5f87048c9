import RealmSwift

// Everything that may go anywhere

private func mayBeSent() {
  requireSendable(ThreadSafeReference<Person>.self)
  requireSendable(ThreadSafeReference<List<Dog>>.self)
  requireSendable(ThreadSafeReference<Results<Person>>.self)
  requireSendable(ThreadSafe<Person>.self)
  requireSendable(NotificationToken.self)
  requireSendable(Realm.AsyncOpenTask.self)
  requireSendable(ObjectId.self)
  requireSendable(Decimal128.self)
  requireSendable(Schema.self)
  requireSendable(ObjectSchema.self)
  requireSendable(Property.self)
  requireSendable(PropertyType.self)
  requireSendable(RealmSwift.SortDescriptor.self)
  requireSendable(StringOptions.self)
  requireSendable(Realm.Configuration.self)
  requireSendable(Realm.Configuration.Durability.self)
  requireSendable(Realm.OpenBehavior.self)
  requireSendable(Realm.UpdatePolicy.self)
  requireSendable(Realm.Notification.self)
  requireSendable(Realm.Error.self)
  requireSendable(Realm.Error.Code.self)
  requireSendable(AsyncTransactionId.self)
  requireSendable(MigrationBlock.self)
  requireSendable(UVLoop.self)
  requireSendable(LoopThread.self)
}

private func typesMayBeSent(_ type: Person.Type) {
  inBackground { _ = type.className() }
}

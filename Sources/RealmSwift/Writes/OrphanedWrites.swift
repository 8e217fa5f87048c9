/// Asynchronous writes of a realm instance that is gone. Waiting for the realm's own open
/// transaction, they did not keep it: the transaction ends with the instance that it belongs to,
/// and the writes get their turn in the instance that comes next.
struct OrphanedWrites: @unchecked Sendable {
  // Sendable: the closures come from where the realm lived and are only called there; in between
  // they are carried by the instance's `deinit`, which may run on any thread.

  let writes: [AsyncWriteQueue.Pending]
  let shared: SharedRealm
  let configuration: Realm.Configuration
  let scheduler: any Scheduler

  /// Hands the writes over to the instance of the same configuration and place.
  func resume() {
    scheduler.invoke {
      // `shared` keeps the file open until then.
      withExtendedLifetime(shared) { addToSuccessor() }
    }
  }

  private func addToSuccessor() {
    do throws(RLMError) {
      let instance = try RealmOpening.instance(configuration, scheduler)
      for write in writes { instance.asyncWrites.driver.add(write) }
    } catch {
      for case .block(_, _, let onComplete?) in writes.map(\.kind) { onComplete(error) }
    }
  }
}

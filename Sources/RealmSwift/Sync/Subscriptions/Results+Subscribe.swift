#if Sync
  import Dispatch
  public import Foundation

  /// Whether `subscribe` waits until the objects have come.
  public enum WaitForSyncMode: Hashable, Sendable {
    /// When the subscription is a new one.
    case onCreation
    /// Each time.
    case always
    /// Never.
    case never
  }

  extension Results where Element: ObjectBase {
    /// Adds the query of these results to the subscriptions of the file.
    ///
    /// - Parameters:
    ///   - name: its name; one of that name gets the query.
    ///   - waitForSync: whether to wait until the objects have come.
    ///   - timeout: seconds after which waiting is given up with an error; nil for never.
    /// - Throws: `SyncError`, `CancellationError`.
    @MainActor
    @discardableResult
    public func subscribe(
      name: String? = nil, waitForSync: WaitForSyncMode = .onCreation, timeout: TimeInterval? = nil
    ) async throws -> Results<Element> {
      let shared = _collection.instance.shared
      let set = SyncSubscriptionSet(shared)
      let isKnown = set.contains { known in
        known.content.type == Element.className() && known.content.query == subscriptionText
          && (name == nil || known.name == name)
      }
      let version = try set.store { set.append(name, Element.className(), subscriptionText) }
      guard waitForSync == .always || (waitForSync == .onCreation && !isKnown) else { return self }
      guard let timeout else {
        try await SyncSubscriptionSet.wait(for: version, shared)
        return self
      }
      try await Self.wait(for: version, shared, seconds: timeout)
      return self
    }

    private static func wait(
      for version: UInt64, _ shared: SharedRealm, seconds: TimeInterval
    ) async throws {
      let task = Task { try await SyncSubscriptionSet.wait(for: version, shared) }
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { task.cancel() }
      try await withTaskCancellationHandler {
        do { try await task.value } catch is CancellationError {
          try Task.checkCancellation()
          throw SyncError(.connectionFailed, "The subscription was not complete in time.")
        }
      } onCancel: {
        task.cancel()
      }
    }

    /// Removes the query of these results from the subscriptions of the file.
    public func unsubscribe() {
      let set = SyncSubscriptionSet(_collection.instance.shared)
      set.update {
        for known in set
        where known.content.type == Element.className()
          && known.content.query == subscriptionText
        {
          set.remove(known)
        }
      }
    }

    private var subscriptionText: String {
      let texts = _collection.conditions.map { $0() }
      return texts.count < 2 ? texts.first ?? "" : texts.map { "(\($0))" }.joined(separator: " && ")
    }
  }
#endif

#if Sync
  import Foundation
  import ObjectStore
  import Storage
  import SyncProtocol
  import SyncStore

  /// The subscriptions of a file, as of the moment in which this was made or last updated.
  ///
  ///     let subscriptions = realm.subscriptions
  ///     try await subscriptions.update {
  ///       subscriptions.append(QuerySubscription<Dog>(name: "old") { $0.age > 10 })
  ///     }
  public struct SyncSubscriptionSet: Sequence, @unchecked Sendable {
    // Sendable: what changes is changed within `update`, by the one thread that calls it.

    private final class Contents {
      var subscriptions: [SyncSubscription.Content]
      var version: UInt64
      /// What an update has made of them so far.
      var draft: [SyncSubscription.Content]?

      init(_ subscriptions: [SyncSubscription.Content], version: UInt64) {
        self.subscriptions = subscriptions
        self.version = version
      }
    }

    private let shared: SharedRealm
    private let contents: Contents

    init(_ shared: SharedRealm) {
      self.shared = shared
      let info = try? shared.database.readSync(shared.schemas, shared.syncCache)
      contents = Contents(
        info.map(Self.subscriptions) ?? [], version: info?.record.queryVersion ?? 0)
    }

    private var current: [SyncSubscription.Content] { contents.draft ?? contents.subscriptions }

    private func change(_ body: (inout [SyncSubscription.Content]) -> Void) {
      guard var draft = contents.draft else {
        throwRealmException(
          "Cannot modify subscriptions outside of an update: call `update` on the set.")
      }
      body(&draft)
      contents.draft = draft
    }

    // MARK: Reading

    /// How many there are.
    public var count: Int { current.count }
    /// The first one.
    public var first: SyncSubscription? { current.first.map { SyncSubscription($0, in: self) } }
    /// The last one.
    public var last: SyncSubscription? { current.last.map { SyncSubscription($0, in: self) } }

    /// The subscription at an index; nil if there is none.
    public subscript(position: Int) -> SyncSubscription? {
      let current = current
      return current.indices.contains(position)
        ? SyncSubscription(current[position], in: self) : nil
    }

    /// Goes through the subscriptions.
    public func makeIterator() -> AnyIterator<SyncSubscription> {
      var rest = current[...]
      return AnyIterator { rest.popFirst().map { SyncSubscription($0, in: self) } }
    }

    /// Whether what they select is in the file.
    public var state: SyncSubscriptionState {
      guard let info = try? shared.database.readSync(shared.schemas, shared.syncCache) else {
        return .pending
      }
      return Self.state(of: contents.version, info)
    }

    /// Why the server could not take a query.
    public var error: (any Error)? {
      guard case .error(let error) = state else { return nil }
      return error
    }

    private static func state(
      of version: UInt64, _ info: SyncFile.Info
    ) -> SyncSubscriptionState {
      if info.record.queryVersion > version { return .superseded }
      if info.record.isQueryComplete { return .complete }
      if info.status.failedQuery == Int64(bitPattern: version) {
        return .error(
          SyncError(.invalidFlexibleSyncSubscriptions, info.status.failedQueryMessage))
      }
      return .pending
    }

    /// The one with a name.
    public func first(named name: String) -> SyncSubscription? {
      current.first { $0.name == name }.map { SyncSubscription($0, in: self) }
    }

    /// The first one for a class with a query; without one, for all objects of the class.
    public func first<T: ObjectBase>(
      ofType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil
    ) -> SyncSubscription? {
      let text = query.map { QuerySubscription<T>.text($0) } ?? ""
      return current.first { $0.type == type.className() && $0.query == text }
        .map { SyncSubscription($0, in: self) }
    }

    // MARK: Changing

    /// Adds queries, within an update. One with the name of another takes its place.
    public func append<T: ObjectBase>(_ subscriptions: QuerySubscription<T>...) {
      for new in subscriptions { append(new.name, T.className(), new.query) }
    }

    func append(_ name: String?, _ type: String, _ query: String) {
      change { draft in
        let known = draft.firstIndex {
          name == nil ? $0.name == nil && $0.type == type && $0.query == query : $0.name == name
        }
        let now = Date()
        guard let known else {
          draft.append(
            SyncSubscription.Content(
              name: name, type: type, query: query, createdAt: now, updatedAt: now))
          return
        }
        if draft[known].type == type, draft[known].query == query { return }
        draft[known].type = type
        draft[known].query = query
        draft[known].updatedAt = now
      }
    }

    func replaceQuery(of old: SyncSubscription.Content, type: String, _ query: String) {
      change { draft in
        guard let index = draft.firstIndex(of: old) else { return }
        draft[index].type = type
        draft[index].query = query
        draft[index].updatedAt = Date()
      }
    }

    /// Removes the one with a name, within an update.
    public func remove(named name: String) { change { $0.removeAll { $0.name == name } } }

    /// Removes those for a class with a query, within an update.
    public func remove<T: ObjectBase>(
      ofType type: T.Type, where query: (Query<T>) -> Query<Bool>
    ) {
      let text = QuerySubscription<T>.text(query)
      change { $0.removeAll { $0.type == type.className() && $0.query == text } }
    }

    /// Removes subscriptions, within an update.
    public func remove(_ subscriptions: SyncSubscription...) {
      for subscription in subscriptions {
        change { $0.removeAll { $0 == subscription.content } }
      }
    }

    /// Removes all, or all that have no name, within an update.
    public func removeAll(unnamedOnly: Bool = false) {
      change { $0.removeAll { !unnamedOnly || $0.name == nil } }
    }

    /// Removes all for a class, within an update.
    public func removeAll<T: ObjectBase>(ofType type: T.Type) {
      change { $0.removeAll { $0.type == type.className() } }
    }

    /// Adds a subscription without a name, unless there is the same.
    ///
    /// - Parameter only: whether it takes the place of others of the class without one.
    func see(_ query: String, of type: String, only: Bool) {
      if only {
        change { $0.removeAll { $0.type == type && $0.name == nil && $0.query != query } }
      }
      append(nil, type, query)
    }

    /// Calls `block`, in which subscriptions can be changed, and stores what it leaves.
    ///
    /// - Parameter onComplete: called on some thread when what they select is in the file, or with
    ///   the error that stands against it.
    public func update(
      _ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
      if shared.isWritingHere { throwRealmException(Self.updateWithinWrite) }
      do {
        let version = try store(block)
        guard let onComplete else { return }
        let shared = shared
        finishing(onComplete) { try await Self.wait(for: version, shared) }
      } catch { onComplete?(error) }
    }

    /// Calls `block`, in which subscriptions can be changed, stores what it leaves, and waits until
    /// what they select is in the file.
    ///
    /// - Throws: `SyncError` if the server cannot take a query, `Realm.Error` within a write
    ///   transaction, `CancellationError`.
    @MainActor
    public func update(_ block: () -> Void) async throws {
      try await Self.wait(for: try store(block), shared)
    }

    /// Whether what they select has come.
    static func wait(for version: UInt64, _ shared: SharedRealm) async throws {
      try await FileWatch.wait(shared) { info in
        switch state(of: version, info) {
        case .complete, .superseded: .success(())
        case .error(let error): .failure(error)
        case .pending: nil
        }
      }
    }

    private static let updateWithinWrite =
      "Subscriptions cannot be updated within a write transaction, or another update."

    /// The version of the query set that it stores.
    @discardableResult
    func store(_ block: () -> Void) throws -> UInt64 {
      if shared.isWritingHere {
        throw RLMError(.fail, Self.updateWithinWrite, path: shared.path)
      }
      return try shared.writeSync { transaction in
        // What the block does must not wait for the turn, which it has.
        shared.updatingThread.store(currentThread(), ordering: .relaxed)
        defer { shared.updatingThread.store(0, ordering: .relaxed) }
        return try store(block, transaction)
      }
    }

    private func store(_ block: () -> Void, _ transaction: ObjectTransaction) throws -> UInt64 {
      let view = transaction.view
      if let info = try SyncFile.info(view, transaction.schema, shared.syncCache) {
        contents.subscriptions = Self.subscriptions(info)
        contents.version = info.record.queryVersion
      }
      contents.draft = contents.subscriptions
      block()
      let draft = contents.draft ?? []
      contents.draft = nil
      if draft == contents.subscriptions { return contents.version }
      let wanted = draft.map {
        Subscription(name: Text($0.name ?? ""), type: Text($0.type), query: Text($0.query))
      }
      if let excess = Subscription.excess(in: wanted) {
        throw SyncError(.invalidFlexibleSyncSubscriptions, excess)
      }
      contents.version = try SyncFile.subscribe(transaction, to: wanted, shared.syncCache)
      try SyncFile.change(transaction) { $0.subscriptionDates = Self.dates(draft) }
      _ = try transaction.commit()
      contents.subscriptions = draft
      return contents.version
    }

    // MARK: As stored

    private static func dates(_ subscriptions: [SyncSubscription.Content]) -> String {
      subscriptions.map {
        "\($0.createdAt.timeIntervalSince1970) \($0.updatedAt.timeIntervalSince1970)"
      }.joined(separator: ";")
    }

    private static func subscriptions(_ info: SyncFile.Info) -> [SyncSubscription.Content] {
      let dates = info.status.subscriptionDates.split(separator: ";").map { pair in
        pair.split(separator: " ").compactMap { Double($0) }
      }
      return info.record.subscriptions.enumerated().map { index, stored in
        let pair = index < dates.count ? dates[index] : []
        return SyncSubscription.Content(
          name: stored.name.string.isEmpty ? nil : stored.name.string, type: stored.type.string,
          query: stored.query.string,
          createdAt: Date(timeIntervalSince1970: pair.first ?? 0),
          updatedAt: Date(timeIntervalSince1970: pair.last ?? 0))
      }
    }
  }

  extension Realm {
    /// The subscriptions of the file. Of a file that is not synchronised there are none.
    public var subscriptions: SyncSubscriptionSet { SyncSubscriptionSet(instance.shared) }
  }
#endif

#if Sync
  import Foundation
  import Platform
  import Storage
  import SyncStore

  /// What opening a synced file takes beside opening it.
  enum SyncOpening {
    /// Begins to synchronise an open file, and gives it its first subscriptions.
    ///
    /// - Parameter isFirst: whether the process did not have it open.
    static func begin(
      _ instance: _RealmInstance, isFirst: Bool
    ) throws(StorageError) {
      let shared = instance.shared
      let configuration = instance.configuration
      guard let sync = configuration.syncConfiguration, !configuration.readOnly else { return }
      let info = try shared.database.readSync(shared.schemas, shared.syncCache)
      try shared.startSync(configuration)
      let isNew = info?.record.queryVersion == 0
      if let partition = sync.partitionValue {
        let known = info?.record.subscriptions ?? []
        let isSeed = info?.record.isSeed == true
        // Also for classes that the program has got since the file was made, and instead of what
        // the file that it has begun with has seen.
        let missing = instance.classes.filter { $0.primaryKey != nil && !$0.isAsymmetric }
          .map { (name: $0.name, query: partitionQuery($0, partition)) }
          .filter { wanted in
            let ofClass = known.filter { $0.type.string == wanted.name }
            if ofClass.isEmpty { return true }
            return isSeed && !ofClass.contains { $0.query.string == wanted.query }
          }
        if missing.isEmpty { return }
        try subscribe(shared) { set in
          for part in missing { set.see(part.query, of: part.name, only: isSeed) }
        }
      } else if let initial = sync.initialSubscriptions,
        isNew || (isFirst && initial.rerunOnOpen)
      {
        try subscribe(shared, initial.callback)
      }
    }

    /// Objects are known to the server by their primary keys.
    static func checkKeys(
      _ configuration: Realm.Configuration, _ classes: [ClassInfo]
    ) throws(RLMError) {
      guard configuration.syncConfiguration != nil else { return }
      for info in classes where !info.isEmbedded && info.primaryKey == nil {
        throw RLMError(
          .schemaMismatch,
          "There must be a primary key property on a synchronized Realm but none was found for "
            + "type '\(info.name)'; give it one, or leave the class out of `objectTypes`.",
          path: configuration.path)
      }
    }

    private static func subscribe(
      _ shared: SharedRealm, _ body: (SyncSubscriptionSet) -> Void
    ) throws(StorageError) {
      let set = SyncSubscriptionSet(shared)
      do { try set.store { body(set) } } catch {
        throw error as? StorageError
          ?? StorageError(.inputOutput, path: shared.path, "\(error.localizedDescription)")
      }
    }

    /// The objects of a class that are in a partition: all of a class without such a property.
    private static func partitionQuery(_ info: ClassInfo, _ value: AnyBSON) -> String {
      guard info.properties.contains(where: { $0.columnName == "_partition" }) else { return "" }
      let literal: Any =
        switch value {
        case .string(let text): text
        case .objectId(let id): id
        case .uuid(let id): id
        case .int32(let number): number
        case .int64(let number): number
        default: NSNull()
        }
      return SubscriptionText.text("_partition == %@", [literal])
    }

    /// Waits, if that is wanted, until all that the server has now is in the file.
    ///
    /// - Returns: what keeps the file open until the caller has opened it; nil if nothing was to be
    ///   waited for.
    static func download(
      _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior
    ) async throws -> _RealmInstance? {
      guard let sync = configuration.syncConfiguration, behavior != .never else { return nil }
      let isThere = FileManager.default.fileExists(atPath: configuration.path)
      if behavior == .once, isThere { return nil }
      let prepared = try await RealmOpening.prepareInBackground(configuration)
      try await prepared.shared.syncSession?.wait(
        for: .download, isImpatient: sync.cancelAsyncOpenOnNonFatalErrors)
      return prepared
    }
  }

  extension User {
    /// A configuration for a file of the user with the objects of a partition: those whose property
    /// `_partition` has the value, and all of classes without one.
    public func configuration<T: BSON>(
      partitionValue: T, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
      cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
      configuration(
        partitionValue: AnyBSON(partitionValue), clientResetMode: clientResetMode,
        cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors)
    }

    /// A configuration for a file of the user with the objects of a partition.
    public func configuration(
      partitionValue: AnyBSON, clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
      cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
      let name = "\(partitionValue)".addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      return configuration(
        file: "partition_\(name ?? "")",
        SyncConfiguration(
          user: self, partitionValue: partitionValue, clientResetMode: clientResetMode,
          cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
          initialSubscriptions: nil))
    }
  }
#endif

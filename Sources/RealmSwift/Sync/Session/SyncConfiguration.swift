#if Sync
  import Foundation

  /// Which user synchronises a file, and what of the server's data is in it.
  public struct SyncConfiguration: Sendable {
    /// The user.
    public let user: User
    /// The partition; nil for files that have subscriptions.
    public let partitionValue: AnyBSON?
    /// What is done when the server's history is another one.
    public let clientResetMode: ClientResetMode
    /// Whether opening with a download fails when the server is out of reach; else it waits.
    public let cancelAsyncOpenOnNonFatalErrors: Bool
    let initialSubscriptions: InitialSubscriptions?

    struct InitialSubscriptions: Sendable {
      var callback: @Sendable (SyncSubscriptionSet) -> Void
      var rerunOnOpen: Bool
    }
  }

  /// What is done when the server's history is another one than the file's: after a backup was
  /// restored, or when the file was away for longer than the server remembers.
  ///
  /// The file is brought to the server's data. All modes but `discardUnsyncedChanges` keep what was
  /// written in it and not acknowledged, which is sent as usual, and give the server back what it
  /// lacks since an older backup was restored. `beforeReset` is called before the file changes,
  /// with the file as it is, frozen; `afterReset` when all that the server has is in it. Both are
  /// called on the agent's thread, in the process that synchronises the file, once, however many
  /// connections it takes. Only where another process goes on with a reset, because that one has
  /// ended, both are called there, with the file as it was then.
  public enum ClientResetMode: Sendable {
    /// Calls a function with a `SyncError` of the code `clientResetError`.
    case manual(errorHandler: (@Sendable (any Error, SyncSession?) -> Void)? = nil)
    /// The file becomes what the server has: what was written and not acknowledged before the reset
    /// began is gone.
    case discardUnsyncedChanges(
      beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
      afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
    /// Keeps unsynchronised changes.
    case recoverUnsyncedChanges(
      beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
      afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
    /// As `recoverUnsyncedChanges`, which always can.
    case recoverOrDiscardUnsyncedChanges(
      beforeReset: (@Sendable (_ before: Realm) -> Void)? = nil,
      afterReset: (@Sendable (_ before: Realm, _ after: Realm) -> Void)? = nil)
  }

  extension User {
    /// A configuration for a file of the user with what subscriptions select.
    ///
    /// - Parameters:
    ///   - clientResetMode: what is done when the server's history is another one.
    ///   - cancelAsyncOpenOnNonFatalErrors: whether opening with a download fails when the server
    ///     is out of reach.
    public func flexibleSyncConfiguration(
      clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
      cancelAsyncOpenOnNonFatalErrors: Bool = false
    ) -> Realm.Configuration {
      configuration(
        file: "flx_sync_default",
        SyncConfiguration(
          user: self, partitionValue: nil, clientResetMode: clientResetMode,
          cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
          initialSubscriptions: nil))
    }

    /// A configuration for a file of the user with what subscriptions select.
    ///
    /// - Parameters:
    ///   - clientResetMode: what is done when the server's history is another one.
    ///   - cancelAsyncOpenOnNonFatalErrors: whether opening with a download fails when the server
    ///     is out of reach.
    ///   - initialSubscriptions: called in an update when the file is opened for the first time.
    ///   - rerunOnOpen: whether it is called each time that a process opens the file.
    public func flexibleSyncConfiguration(
      clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
      cancelAsyncOpenOnNonFatalErrors: Bool = false,
      initialSubscriptions: @escaping @Sendable (SyncSubscriptionSet) -> Void,
      rerunOnOpen: Bool = false
    ) -> Realm.Configuration {
      configuration(
        file: "flx_sync_default",
        SyncConfiguration(
          user: self, partitionValue: nil, clientResetMode: clientResetMode,
          cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors,
          initialSubscriptions: SyncConfiguration.InitialSubscriptions(
            callback: initialSubscriptions, rerunOnOpen: rerunOnOpen)))
    }

    func configuration(
      file name: String, _ sync: SyncConfiguration
    ) -> Realm.Configuration {
      let safe = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "user"
      let directory = app.shared.store.directory.appendingPathComponent(safe, isDirectory: true)
      try? FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      var configuration = Realm.Configuration(
        fileURL: directory.appendingPathComponent("\(name).realm", isDirectory: false))
      configuration.syncConfiguration = sync
      return configuration
    }
  }
#endif

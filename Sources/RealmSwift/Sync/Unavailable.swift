#if !Sync
  // The names of synchronisation, for programs that use them without having turned it on.

  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum App {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum AppConfiguration {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum User {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum Credentials {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum SyncSession {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum SyncManager {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum SyncConfiguration {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum SyncSubscriptionSet {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum QuerySubscription<T> {}
  /// Synchronisation is behind a trait of the package.
  @available(
    *, unavailable,
    message: "turn on the package's trait Sync: .package(url: …, traits: [\"Sync\"])"
  )
  public enum SyncError {}
#endif

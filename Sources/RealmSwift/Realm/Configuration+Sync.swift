extension Realm.Configuration {
  /// Whose the synced file is; nil for a file that is not synced.
  var syncUser: String? {
    #if Sync
      syncConfiguration?.user.id
    #else
      nil
    #endif
  }
}

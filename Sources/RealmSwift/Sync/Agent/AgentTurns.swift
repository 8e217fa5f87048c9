#if Sync
  import Platform

  /// Agents of this process that want the role of one database, one after the other: a file that is
  /// closed and opened again has a new agent before the old one has ended.
  enum AgentTurns {
    private static let waiting = LockedValue<[ObjectIdentifier: [@Sendable () -> Void]]>([:])

    /// Calls `begin` when no other agent of this process has a turn for the database, perhaps at
    /// once.
    static func take(_ database: ObjectIdentifier, _ begin: @escaping @Sendable () -> Void) {
      let isFree = waiting.withLock { waiting in
        if waiting[database]?.append(begin) != nil { return false }
        waiting[database] = []
        return true
      }
      if isFree { begin() }
    }

    /// Lets the next one begin.
    static func end(_ database: ObjectIdentifier) {
      let next = waiting.withLock { waiting -> (@Sendable () -> Void)? in
        guard let line = waiting[database], !line.isEmpty else {
          waiting[database] = nil
          return nil
        }
        return waiting[database]?.removeFirst()
      }
      next?()
    }
  }
#endif

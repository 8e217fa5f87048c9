/// Declarations that only tests use.
///
/// By names alone: a name that is also used for something else counts as used.
struct DeadCode {
  /// Targets whose public declarations are for users of the library, who are not here.
  static let publicAPI: Set<String> = [
    "LoopThread", "RealmSwift", "RealmSwiftCombine", "SyncProtocol",
  ]

  /// Names that the standard library, Foundation or the compiler ask for.
  static let requirements: Set<Substring> = [
    "==", "<", "~=", "description", "debugDescription", "hash", "customMirror", "errorDescription",
    "localizedDescription", "makeIterator", "makeAsyncIterator", "next", "startIndex", "endIndex",
    "index", "underestimatedCount", "rawValue", "hashValue", "encode", "enqueue", "errorDomain",
    "errorCode", "errorUserInfo", "stringValue", "intValue", "wrappedValue", "projectedValue",
    "dynamicallyCall", "customPlaygroundDisplayValue", "asUnownedSerialExecutor", "checkIsolated",
    "combineIdentifier", "isIsolatingCurrentContext", "isSameExclusiveExecutionContext",
    "channelActive", "channelRead", "errorCaught", "handlerAdded", "InboundIn", "OutboundOut",
    "_customContainsEquatableElement", "_customIndexOfEquatableElement",
  ]

  /// What tests alone use and is kept, and what for.
  static let kept: [String: String] = [
    "LockFile.tryTakeAgentRole": "the role of the process that synchronises, of the format",
    "WriterQueue.waiterCount": "lets tests wait until others wait",
    "Database.fileIdentity": "tells the simulator's files apart",
    "Database.drainMaintenance": "lets tests wait until nothing goes on in the background",
    "Database.freeSpaceInUse": "shows that space comes back",
    "FreeSpaceWalk.countedFreeBytes": "what is counted against what is summed up",
    "CompactionStatistics.totalHoldNanoseconds": "figures of the lab",
    "CompactionStatistics.longestHoldNanoseconds": "figures of the lab",
    "CompactionStatistics.longestHoldBusyNanoseconds": "figures of the lab",
    "FileLayout.headerFlags": "a field of the format that is always 0",
    "FileLayout.slotFlags": "a field of the format that is always 0",
    "Snapshot.storeFindings": "whether a store is sound, for labs",
    "ClientObject.isSpanSound": "whether a client knows since when it is dirty, for the lab",
    "Realm.cancelledWriteCount": "shows that cancelled writes leave nothing behind",
    "checksumByTable": "the checksum without the processor's instruction",
    // Typed access to columns, the engine's interface beside objects.
    "Table.optionalFloat": "typed access",
    "Table.optionalObjectId": "typed access", "Table.optionalUUID": "typed access",
    "Table.optionalDecimal128": "typed access",
    "Table.optionalData": "typed access",
  ]

  private static let kinds: Set<Substring> = [
    "func", "var", "let", "struct", "class", "enum", "protocol", "actor", "typealias",
  ]

  /// Where each is, by `Type.member`.
  static func findings(in sources: Sources) -> [String: String] {
    var uses: [Substring: Int] = [:]
    var declared: [Substring: Int] = [:]
    var required = requirements
    for file in sources.library + sources.programs {
      for token in file.tokens where token.isWord { uses[token.text, default: 0] += 1 }
      for declaration in file.declarations where !declaration.isExtension {
        declared[declaration.name, default: 0] += 1
        if declaration.isInProtocol { required.insert(declaration.name) }
      }
    }
    var findings: [String: String] = [:]
    for file in sources.library {
      for declaration in file.declarations where kinds.contains(declaration.keyword) {
        let name = declaration.name
        let isForUsers = publicAPI.contains(file.target) && declaration.access == .public
        guard !isForUsers, !declaration.isOverride, !required.contains(name),
          let first = name.first, first.isLetter || first == "_",
          uses[name, default: 0] <= declared[name, default: 0]
        else { continue }
        findings[declaration.qualifiedName] = "\(file.path):\(declaration.line)"
      }
    }
    return findings
  }

  static func complaints(about sources: Sources) -> [String] {
    let findings = findings(in: sources)
    let dead = findings.filter { kept[$0.key] == nil }
      .map { "\($0.value) \($0.key) is used by nothing but tests, if at all" }
    let alive = kept.keys.filter { findings[$0] == nil }
      .map { "\($0) is used now, or gone: take it off the list of what is kept" }
    return (dead + alive).sorted()
  }
}

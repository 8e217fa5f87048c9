/// The folders of a target, lowest first: a file uses types of its own folder and of lower ones.
struct FolderOrder {
  let target: String
  let folders: [String]

  static let all = [
    FolderOrder(
      target: "Platform", folders: ["Threads", "System", "Memory", "Search", "Cryptography"]),
    FolderOrder(
      target: "Coordination", folders: ["Layout", "Pins", "Session", "Signal", "Writer"]),
    FolderOrder(
      target: "Storage",
      folders: [
        "Errors", "Format", "Encryption", "Nodes", "History", "Options", "Slots", "Creation",
        "Versions", "FreeSpace", "Commit", "Compaction", "Database", "Inspect",
      ]),
    FolderOrder(
      target: "ObjectStore",
      folders: [
        "Base", "Schema", "Columns", "History", "Trees", "Tables", "Writers", "Inspect", "Query",
        "Observation", "Transaction",
      ]),
    FolderOrder(
      target: "SyncProtocol",
      folders: [
        "Base", "Codec", "Changes", "Lists", "Server", "Client", "Frames", "Sessions",
      ]),
    FolderOrder(target: "SyncStore", folders: ["Names", "Tables", "Storage", "Recording"]),
    FolderOrder(
      target: "RealmSwift",
      folders: [
        "Errors", "Schema", "Internals", "Objects", "Values", "Collections", "Query", "Sharing",
        "Realm", "Dynamic", "Notifications", "Projections", "KeyValue", "Writes",
        "Sync",
      ]),
  ]

  /// How many types of a higher folder the files of a folder use, counted once a file.
  static let known: [String: [String: Int]] = [
    "Platform": [
      "Threads -> System": 1
    ],
    "Coordination": [
      "Pins -> Session": 8,
      "Session -> Signal": 1,
      "Session -> Writer": 2,
    ],
    "Storage": [
      "Creation -> FreeSpace": 4,
      "FreeSpace -> Commit": 2,
      "Nodes -> History": 1,
    ],
    "ObjectStore": [
      "Base -> Query": 2,
      "Columns -> Trees": 3,
      "History -> Tables": 1,
      "Schema -> Tables": 1,
      "Tables -> Query": 1,
    ],
    "RealmSwift": [
      "Collections -> Notifications": 1,
      "Collections -> Projections": 2,
      "Collections -> Query": 4,
      "Collections -> Realm": 4,
      "Errors -> Realm": 1,
      "Internals -> Dynamic": 1,
      "Internals -> Notifications": 1,
      "Internals -> Objects": 16,
      "Internals -> Query": 2,
      "Internals -> Realm": 3,
      "Internals -> Sharing": 4,
      "Internals -> Writes": 3,
      "Objects -> Collections": 3,
      "Objects -> Projections": 2,
      "Objects -> Realm": 1,
      "Objects -> Values": 7,
      "Realm -> Notifications": 1,
      "Realm -> Projections": 1,
      "Realm -> Sync": 3,
      "Schema -> Objects": 1,
      "Sharing -> Notifications": 3,
      "Sharing -> Projections": 1,
      "Sharing -> Realm": 4,
      "Values -> Collections": 2,
    ],
  ]

  /// Uses of types of higher folders, by the pair `Low -> High`.
  func upwardUses(in files: [SourceFile]) -> [String: [String]] {
    let rank = Dictionary(uniqueKeysWithValues: folders.enumerated().map { ($1, $0) })
    let own = files.filter { $0.target == target && $0.folder != nil }
    var homes: [Substring: String] = [:]
    for file in own {
      for type in file.declarations where type.isType && type.scopes.isEmpty {
        // What is private to a file is nobody's floor.
        if type.access > .private { homes[type.name] = file.folder }
      }
    }
    var uses: [String: [String]] = [:]
    for file in own {
      guard let folder = file.folder, let floor = rank[folder] else { continue }
      var seen: Set<Substring> = []
      var isMember = false
      for token in file.tokens {
        defer { isMember = token.text == "." }
        guard let home = homes[token.text], home != folder, let height = rank[home],
          height > floor, !isMember, seen.insert(token.text).inserted
        else { continue }
        uses["\(folder) -> \(home)", default: []].append(
          "\(file.path):\(token.line) uses \(token.text)")
      }
    }
    return uses
  }

  /// Folders that the order does not name, and names without a folder.
  func unknownFolders(in files: [SourceFile]) -> Set<String> {
    Set(files.filter { $0.target == target }.compactMap(\.folder)).symmetricDifference(folders)
  }
}

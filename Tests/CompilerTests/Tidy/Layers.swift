/// Which modules a target of the library may import. Nothing points up.
enum Layers {
  static let imports: [String: Set<String>] = [
    "Platform": ["CCrypto", "CPlatform", "CRuntime", "Dispatch", "Glibc", "Synchronization"],
    "Coordination": ["Platform", "Synchronization"],
    "Storage": ["Coordination", "Platform", "Synchronization"],
    "ObjectStore": ["CScan", "Platform", "Storage", "Synchronization"],
    "SyncProtocol": [],
    "SyncStore": ["ObjectStore", "Platform", "Storage", "SyncProtocol"],
    "SyncTransport": [
      "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOWebSocket", "Platform", "Synchronization",
    ],
    "LoopThread": ["Clibuv", "Dispatch", "Platform", "Synchronization"],
    "RealmSwift": [
      "CRuntime", "Dispatch", "Foundation", "LoopThread", "ObjectStore", "Observation", "Platform",
      "Storage", "SyncProtocol", "SyncStore", "SyncTransport", "Synchronization",
    ],
    "RealmSwiftCombine": [
      "Dispatch", "OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation", "RealmSwift",
    ],
    "Combine": ["RealmSwiftCombine"],
  ]

  static func complaints(about files: [SourceFile]) -> [String] {
    files.flatMap { file in
      guard let allowed = imports[file.target] else {
        return ["\(file.path): no list of imports for \(file.target)"]
      }
      return file.imports.filter { $0 != "Swift" && !allowed.contains($0) }
        .map { "\(file.path) imports \($0)" }
    }
  }
}

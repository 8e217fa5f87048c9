// swift-tools-version: 6.2
import PackageDescription

// The tests of synchronisation, a package of their own so that the library's tests need not fetch
// and build SwiftNIO.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error),
]

let package = Package(
  name: "holdfast-sync",
  dependencies: [
    .package(name: "holdfast", path: "..", traits: ["Sync"]),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
  ],
  targets: [
    // A server that keeps everything in memory, on a real socket.
    .target(
      name: "SyncServerKit",
      dependencies: [
        .product(name: "SyncProtocol", package: "holdfast"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOFoundationCompat", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SyncTests",
      dependencies: [
        .product(name: "RealmSwift", package: "holdfast"), "SyncServerKit", "SyncDevice",
        "SyncModels",
      ],
      swiftSettings: settings),
    .target(
      name: "SyncModels", dependencies: [.product(name: "RealmSwift", package: "holdfast")],
      swiftSettings: settings),
    // What synchronisation costs; to be run in release mode.
    .executableTarget(
      name: "SyncCosts",
      dependencies: [
        .product(name: "RealmSwift", package: "holdfast"), "SyncModels", "SyncServerKit",
      ],
      swiftSettings: settings),
    // A process on a synced file, for tests of several.
    .executableTarget(
      name: "SyncDevice",
      dependencies: [.product(name: "RealmSwift", package: "holdfast"), "SyncModels"],
      swiftSettings: settings),
  ]
)

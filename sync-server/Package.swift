// swift-tools-version: 6.2
import PackageDescription

// The server of sync. Nested, so that the library's users clone nothing of what only it needs.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error),
]

let package = Package(
  name: "holdfast-sync-server",
  products: [
    .library(name: "SyncServer", targets: ["SyncServer"]),
    .executable(name: "sync-server", targets: ["sync-server"]),
    .executable(name: "sync-demo", targets: ["sync-demo"]),
  ],
  dependencies: [
    // The server needs nothing of the trait; the demonstration's devices do, and programs in the tests.
    .package(name: "holdfast", path: "..", traits: ["Sync"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
  ],
  targets: [
    .target(
      name: "SyncServer",
      dependencies: [
        .product(name: "HoldfastEngine", package: "holdfast"),
        // Reads the queries of subscriptions.
        .product(name: "RealmSwift", package: "holdfast"),
        .product(name: "SyncProtocol", package: "holdfast"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOExtras", package: "swift-nio-extras"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "sync-server",
      dependencies: [
        "SyncServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    // The demonstration's second half: devices, processes and a server.
    .executableTarget(
      name: "sync-demo",
      dependencies: [
        .product(name: "RealmSwift", package: "holdfast"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/SyncDemo", swiftSettings: settings),
    // Servers as processes, and raw clients of the protocol.
    .target(
      name: "ServerKit",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "SyncProtocol", package: "holdfast"),
      ],
      path: "Tests/ServerKit", swiftSettings: settings),
    // Measures a server.
    .executableTarget(
      name: "sync-load",
      dependencies: [
        "ServerKit", "sync-server",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "RealmSwift", package: "holdfast"),
        .product(name: "SyncProtocol", package: "holdfast"),
      ],
      path: "Tests/sync-load", swiftSettings: settings),
    .testTarget(
      name: "SyncServerTests",
      dependencies: [
        "ServerKit", "SyncServer", "sync-server", "sync-demo",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HoldfastEngine", package: "holdfast"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "RealmSwift", package: "holdfast"),
        .product(name: "SyncProtocol", package: "holdfast"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: settings),
  ]
)

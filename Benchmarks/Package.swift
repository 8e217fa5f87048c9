// swift-tools-version: 6.2
import PackageDescription

// Comparisons with SQLite and LMDB through their C libraries. Nested, so that nothing of them
// touches the library.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "holdfast-benchmarks",
  dependencies: [
    .package(name: "holdfast", path: ".."),
    .package(name: "holdfast-tools", path: "../tools"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "Clibc"),
    .systemLibrary(name: "Clmdb", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(name: "Csqlite3", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(
      name: "holdfast-benchmarks",
      dependencies: [
        "Clibc", "Clmdb", "Csqlite3",
        .product(name: "HoldfastEngine", package: "holdfast"),
        .product(name: "RealmSwift", package: "holdfast"),
        .product(name: "ToolReports", package: "holdfast-tools"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/HoldfastBenchmarks",
      swiftSettings: settings),
  ]
)

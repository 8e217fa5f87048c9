// swift-tools-version: 6.2
import PackageDescription

// The `holdfast` tool and the demonstration. Nested, so that the library's users do not clone the
// argument parser.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error),
]

let package = Package(
  name: "holdfast-tools",
  products: [
    .executable(name: "holdfast", targets: ["holdfast"]),
    .executable(name: "holdfast-demo", targets: ["HoldfastDemo"]),
    // The benchmarks write their tables with it.
    .library(name: "ToolReports", targets: ["ToolReports"]),
  ],
  dependencies: [
    .package(name: "holdfast", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    // What the tool says, as values, and how it is written; knows nothing of the engine.
    .target(name: "ToolReports", swiftSettings: settings),
    .executableTarget(
      name: "holdfast",
      dependencies: [
        "ToolReports",
        .product(name: "HoldfastEngine", package: "holdfast"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // Reads Debian's package index.
    .target(name: "PackageIndex", swiftSettings: settings),
    .executableTarget(
      name: "HoldfastDemo",
      dependencies: [
        "PackageIndex", "ToolReports",
        .product(name: "RealmSwift", package: "holdfast"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ToolReportsTests", dependencies: ["ToolReports"], swiftSettings: settings),
    .testTarget(
      name: "PackageIndexTests", dependencies: ["PackageIndex"], swiftSettings: settings),
    .testTarget(
      name: "HoldfastToolTests",
      dependencies: [
        "holdfast", "ToolReports", .product(name: "HoldfastEngine", package: "holdfast"),
      ],
      swiftSettings: settings),
  ]
)

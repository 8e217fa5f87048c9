// swift-tools-version: 6.2
import PackageDescription

// Rewrites models that were written for Objective-C. A package of its own, so that nobody else
// clones and builds the Swift parser.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error),
]

let package = Package(
  name: "migrate-models",
  products: [.executable(name: "migrate-models", targets: ["migrate-models"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // From source text to source text; reads and writes no files.
    .target(
      name: "ModelMigration",
      dependencies: [
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "migrate-models",
      dependencies: [
        "ModelMigration", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ModelMigrationTests", dependencies: ["ModelMigration"], swiftSettings: settings),
  ]
)

// swift-tools-version: 6.2
import PackageDescription

// The tests of the publishers, a package of their own so that the library's tests need not fetch
// and build OpenCombine.

let package = Package(
  name: "holdfast-publishers",
  dependencies: [.package(name: "holdfast", path: "..", traits: ["Publishers"])],
  targets: [
    .testTarget(
      name: "PublisherTests",
      dependencies: [.product(name: "RealmSwiftCombine", package: "holdfast")],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
        .strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error),
      ])
  ]
)

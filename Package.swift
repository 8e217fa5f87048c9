// swift-tools-version: 6.2
import PackageDescription

// The library alone. The admin tool, the demonstration, the benchmarks and the sync server are
// nested packages, so that nobody who uses the library clones what only they need.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "holdfast",
  products: [
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
    .library(
      name: "HoldfastEngine", targets: ["Platform", "Coordination", "Storage", "ObjectStore"]),
  ],
  targets: [
    // Layers, lowest first; nothing points up. docs/ARCHITECTURE.md says what each one is for.
    .target(name: "CPlatform"),
    .target(name: "Platform", dependencies: ["CPlatform"], swiftSettings: settings),
    // Stand-ins, child processes and directories, for the tests of every layer.
    .target(
      name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "PlatformTests", dependencies: ["Platform", "TestSupport"], swiftSettings: settings),
    .target(name: "Coordination", dependencies: ["Platform"], swiftSettings: settings),
    .testTarget(
      name: "CoordinationTests",
      dependencies: ["Coordination", "CoordinationTestProcess", "TestSupport"],
      swiftSettings: settings),
    .executableTarget(
      name: "CoordinationTestProcess", dependencies: ["Coordination"],
      path: "Tests/CoordinationTestProcess", swiftSettings: settings),
    .target(name: "Storage", dependencies: ["Platform", "Coordination"], swiftSettings: settings),
    .target(name: "CScan"),
    .target(
      name: "ObjectStore", dependencies: ["Platform", "Storage", "CScan"], swiftSettings: settings),
    .testTarget(
      name: "ObjectStoreTests", dependencies: ["ObjectStore", "TestSupport"],
      swiftSettings: settings),
    .target(
      name: "SimulatedDisk", dependencies: ["Platform"], path: "Tests/SimulatedDisk",
      swiftSettings: settings),
    .target(
      name: "StorageLab", dependencies: ["Storage", "SimulatedDisk"], path: "Tests/StorageLab",
      swiftSettings: settings),
    .target(
      name: "ObjectStoreLab",
      dependencies: ["ObjectStore", "StorageLab", "SimulatedDisk", "TestSupport"],
      path: "Tests/ObjectStoreLab", swiftSettings: settings),
    .executableTarget(
      name: "LabProgram",
      dependencies: [
        "StorageLab", "ObjectStoreLab", "ProcessLab", "RealmLab", "ScaleLab", "ThreadsLab",
      ],
      path: "Tests/LabProgram", swiftSettings: settings),
    .testTarget(
      name: "ObjectStoreLabTests", dependencies: ["ObjectStoreLab"], swiftSettings: settings),
    .testTarget(
      name: "StorageTests",
      dependencies: ["Storage", "SimulatedDisk", "StorageLab", "TestSupport"],
      swiftSettings: settings),
    // Several processes that run the code of the lower layers on one simulated machine.
    .target(
      name: "Simulator",
      dependencies: ["Storage", "Coordination", "SimulatedDisk", "StorageLab", "TestSupport"],
      path: "Tests/Simulator", exclude: ["PlantedBugs"], swiftSettings: settings),
    .executableTarget(
      name: "SimulatorProgram", dependencies: ["Simulator", "Platform"],
      path: "Tests/SimulatorProgram", swiftSettings: settings),
    .testTarget(
      name: "SimulatorTests", dependencies: ["Simulator", "SimulatorProgram"],
      swiftSettings: settings),
    .target(
      name: "ProcessLab", dependencies: ["Storage", "StorageLab", "TestSupport"],
      path: "Tests/ProcessLab", swiftSettings: settings),
    .executableTarget(
      name: "ProcessTestProgram", dependencies: ["ProcessLab", "RealmLab", "ScaleLab"],
      path: "Tests/ProcessTestProgram", swiftSettings: settings),
    .testTarget(
      name: "ProcessTests", dependencies: ["ProcessLab", "ProcessTestProgram"],
      swiftSettings: settings),
    .systemLibrary(name: "Clibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .target(name: "LoopThread", dependencies: ["Clibuv", "Platform"], swiftSettings: settings),
    // A program whose main thread runs a loop; the tests of LoopThread start it.
    .executableTarget(
      name: "LoopMainProgram", dependencies: ["LoopThread"], path: "Tests/LoopMainProgram",
      swiftSettings: settings),
    .testTarget(
      name: "LoopThreadTests",
      dependencies: ["LoopThread", "Platform", "Clibuv", "LoopMainProgram"],
      swiftSettings: settings),
    .target(name: "CRuntime"),
    .target(
      name: "RealmSwift", dependencies: ["CRuntime", "ObjectStore", "LoopThread"],
      swiftSettings: settings),
    .target(
      name: "RealmLab", dependencies: ["RealmSwift", "ProcessLab", "StorageLab", "TestSupport"],
      path: "Tests/RealmLab", swiftSettings: settings),
    .target(
      name: "ScaleLab", dependencies: ["RealmSwift", "ProcessLab", "StorageLab", "TestSupport"],
      path: "Tests/ScaleLab", swiftSettings: settings),
    .testTarget(
      name: "ScaleLabTests", dependencies: ["ScaleLab", "ProcessTestProgram"],
      swiftSettings: settings),
    .testTarget(
      name: "RealmSwiftTests", dependencies: ["RealmSwift", "RealmLab", "ProcessTestProgram"],
      swiftSettings: settings),
    // Asks the compiler what it makes of the cases in the folder, and of the code in the guides.
    .testTarget(
      name: "CompilerTests", dependencies: ["RealmSwift"], exclude: ["Cases"],
      swiftSettings: settings),
    .target(
      name: "ThreadsLab", dependencies: ["RealmSwift", "ProcessLab", "TestSupport", "Clibuv"],
      path: "Tests/ThreadsLab", swiftSettings: settings),
    .executableTarget(
      name: "ThreadTestProgram", dependencies: ["ThreadsLab"], path: "Tests/ThreadTestProgram",
      swiftSettings: settings),
    // Its main function is asynchronous, which makes it a program of its own.
    .executableTarget(
      name: "AsyncMainProgram", dependencies: ["ThreadsLab"], path: "Tests/AsyncMainProgram",
      swiftSettings: settings),
    .testTarget(
      name: "ThreadsLabTests",
      dependencies: ["ThreadsLab", "ThreadTestProgram", "AsyncMainProgram", "Platform"],
      swiftSettings: settings),
  ]
)

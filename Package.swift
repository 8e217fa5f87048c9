// swift-tools-version: 6.2
import PackageDescription

// The library alone. The admin tool, the demonstration, the benchmarks and the sync server are
// nested packages, so that users of the library clone only what the library needs.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

// Memory safety is checked strictly, as an error, everywhere but in the unsafe floors, which the
// page on the architecture names.
let safe: [SwiftSetting] =
  settings + [.strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error)]

// The simulations of sync take a third of the time where what they run is optimised, as `tools/test`
// asks for; assertions are checked all the same. Packages that others fetch may not have such flags.
let simulated: [SwiftSetting] =
  Context.environment["HOLDFAST_SIMULATIONS"] == nil
  ? safe : safe + [.unsafeFlags(["-O", "-assert-config", "Debug"])]

// Layers, lowest first; nothing points up. docs/ARCHITECTURE.md says what each one is for.
let library: [Target] = [
  .target(name: "CPlatform"),
  .target(name: "CCrypto"),
  .target(name: "CRuntime"),
  .target(name: "CScan", linkerSettings: [.linkedLibrary("m")]),
  .systemLibrary(name: "Clibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
  .target(
    name: "Platform", dependencies: ["CCrypto", "CPlatform", "CRuntime"], swiftSettings: settings),
  .target(name: "Coordination", dependencies: ["Platform"], swiftSettings: safe),
  .target(name: "Storage", dependencies: ["Platform", "Coordination"], swiftSettings: settings),
  .target(
    name: "ObjectStore", dependencies: ["Platform", "Storage", "CScan"], swiftSettings: safe),
  // What the client of a synced file and the server share; values alone.
  .target(name: "SyncProtocol", swiftSettings: simulated),
  // What a synced file keeps about itself, beside the objects.
  .target(
    name: "SyncStore", dependencies: ["ObjectStore", "SyncProtocol"], swiftSettings: safe),
  .target(name: "LoopThread", dependencies: ["Clibuv", "Platform"], swiftSettings: safe),
  .target(
    name: "RealmSwift",
    dependencies: ["CRuntime", "ObjectStore", "LoopThread", "SyncStore", "SyncTransport"],
    swiftSettings: safe),
]

// The connections of synchronisation, for those who turn the trait on; without it there is nothing
// in this, and SwiftNIO is not fetched.
let transport: [Target] = [
  .target(
    name: "SyncTransport",
    dependencies: ["Platform"]
      + ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map {
        .product(name: $0, package: "swift-nio", condition: .when(traits: ["Sync"]))
      } + [.product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["Sync"]))],
    swiftSettings: safe)
]

// Publishers, for those who turn the trait on; without it there is nothing in these, and
// OpenCombine is not fetched.
let publishers: [Target] = [
  .target(
    name: "RealmSwiftCombine",
    dependencies: ["RealmSwift"]
      + ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"].map {
        .product(name: $0, package: "OpenCombine", condition: .when(traits: ["Publishers"]))
      },
    swiftSettings: safe),
  // Lets code that imports Apple's framework compile.
  .target(name: "Combine", dependencies: ["RealmSwiftCombine"], swiftSettings: safe),
]

// What several suites and programs use.
let kits: [Target] = [
  // Child processes, directories, stand-ins for the system, a simulated disk, seeded random
  // numbers.
  kit("TestSupport", ["Platform"]),
  // Models, damage, power loss, and scenarios of several processes, for storage and the object
  // store.
  kit("EngineLab", ["ObjectStore", "TestSupport"]),
  // Several processes that run the code of the lower layers on one simulated machine.
  kit("Simulator", ["Storage", "TestSupport"], exclude: ["PlantedBugs"]),
  // Clients and a server of sync on simulated storage, network and clocks.
  kit(
    "SyncLab", ["SyncProtocol", "TestSupport"], exclude: ["PlantedBugs"], settings: simulated),
  // Synced files and a server in one process, with frames handed over by calls.
  kit("SyncStoreLab", ["SyncStore", "SyncLab", "EngineLab"]),
  // Random histories, large files, and threads, queues, actors and loops, through the object API.
  kit("RealmLab", ["RealmSwift", "EngineLab", "Clibuv"]),
]

// What suites and labs start as processes of their own.
let programs: [Target] = [
  // Children that use the layers below the object API.
  program("TestProgram", ["EngineLab", "LoopThread"]),
  // Runs every lab, and is the child of those that use the object API.
  program("LabProgram", ["RealmLab"]),
  // What users write, with nothing imported but the library.
  program("GuideProgram", ["RealmSwift"]),
  // A main function that is asynchronous makes a program of its own.
  program("AsyncMainProgram", ["RealmLab"]),
  // Runs the labs of sync, which need nothing of the engine.
  program("SyncLabProgram", ["SyncLab"]),
  // Built alone for the simulation, with the hooks that the other programs lack.
  program("SimulatorProgram", ["Simulator"]),
]

let suites: [Target] = [
  suite("PlatformTests", ["Platform", "TestSupport"]),
  suite("CoordinationTests", ["Coordination", "TestProgram", "TestSupport"]),
  suite("StorageTests", ["Storage", "EngineLab"]),
  suite("ObjectStoreTests", ["ObjectStore", "EngineLab"]),
  suite("SyncProtocolTests", ["SyncProtocol", "SyncLab"], exclude: ["Vectors"]),
  suite("SyncStoreTests", ["SyncStore", "SyncStoreLab"]),
  suite("LoopThreadTests", ["LoopThread", "TestProgram"]),
  suite(
    "RealmSwiftTests", ["RealmSwift", "RealmLab", "LabProgram", "TestProgram", "GuideProgram"]),
  // Asks the compiler what it makes of the cases in the folder, and of the code in the guides.
  suite("CompilerTests", ["RealmSwift"], exclude: ["Cases"]),
  // Several processes on one file, real and simulated.
  suite("ProcessTests", ["EngineLab", "TestProgram", "Simulator", "SimulatorProgram"]),
  // Long runs of threads, queues, actors and loops, which need the processors for themselves.
  suite("ThreadTests", ["RealmLab", "LabProgram", "AsyncMainProgram"]),
]

func kit(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  settings: [SwiftSetting] = safe
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Tests/Kits/\(name)", exclude: exclude,
    swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Tests/Programs/\(name)",
    swiftSettings: safe)
}

func suite(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: safe)
}

let package = Package(
  name: "holdfast",
  products: [
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
    .library(
      name: "HoldfastEngine", targets: ["Platform", "Coordination", "Storage", "ObjectStore"]),
    .library(name: "RealmSwiftCombine", targets: ["RealmSwiftCombine", "Combine"]),
    .library(name: "SyncProtocol", targets: ["SyncProtocol"]),
  ],
  traits: [
    .trait(
      name: "Publishers",
      description: "What the product RealmSwiftCombine is made of, over OpenCombine."),
    .trait(
      name: "Sync",
      description: "Synchronises files with a server: App, User, SyncSession, over SwiftNIO."),
  ],
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
  ],
  targets: library + transport + publishers + kits + programs + suites
)

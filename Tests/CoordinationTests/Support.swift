import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Coordination

/// A data file's path and ways to open it as often as wanted; every opening acts as a process of
/// its own, because byte locks belong to the opening.
struct Database {
  let directory = TemporaryDirectory()
  var path: String { directory.file("x.realm") }
  var lockPath: String { path + ".lock" }

  func dataFile(_ mode: OpenMode = .create) throws -> any SystemFile {
    try PosixSystem.shared.openFile(path: path, mode: mode)
  }

  struct Opened {
    let lockFile: LockFile
    let dataFile: any SystemFile
    let wasAlone: Bool
  }

  func open(
    mode: LockFile.Mode = .shared, version: Version = 1, durable: Version = 1,
    dataMode: OpenMode = .create, system: any System = PosixSystem.shared,
    repairs: Bool = true
  ) throws(LockFileError) -> Opened {
    var wasAlone = false
    let file: any SystemFile
    do {
      file = try PosixSystem.shared.openFile(path: path, mode: dataMode)
    } catch {
      throw LockFileError(.system, path: path, "could not open", cause: error)
    }
    do {
      let lockFile = try LockFile.open(
        path: lockPath, dataFile: file, system: system, mode: mode
      ) { (hasFailedFlush) throws(Never) in
        wasAlone = true
        if repairs { hasFailedFlush = false }
        return LockFile.Recovered(newest: published(version), durable: durable)
      }
      return Opened(lockFile: lockFile, dataFile: file, wasAlone: wasAlone)
    } catch {
      switch error {
      case .lockFile(let error): throw error
      }
    }
  }

  /// A process that plays with the data file as it is told, started through `prefix` if there is
  /// one.
  func process(prefix: [String] = []) throws -> ChildProcess {
    let child = try ChildProcess(prefix: prefix, program: "TestProgram", ["coordinate", path])
    let greeting = try child.readLine()
    #expect(greeting == "ready")
    return child
  }
}

func published(_ version: Version) -> PublishedVersion {
  PublishedVersion(
    version: version, root: version.rawValue * 10, logicalSize: version.rawValue * 100)
}

/// The code of the lock-file error that `body` throws.
func code(_ body: () throws -> Void) -> LockFileError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? LockFileError)?.code
  }
}

/// Something that happens once and can be awaited by a thread.
final class Event<Value: Sendable>: Sendable {
  private let parked = OneShot<Value>(system: PosixSystem.shared)
  func signal(_ value: Value) { parked.send(value) }
  func wait() -> Value { parked.wait() }
}

/// Runs every body on a thread of its own and returns when all are done.
func runThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
  let events = (0..<count).map { _ in Event<Void>() }
  for (index, event) in events.enumerated() {
    try BackgroundThread.start(name: "test-\(index)") {
      body(index)
      event.signal(())
    }
  }
  for event in events { event.wait() }
}

final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

final class Counter: Sendable {
  private let number = Atomic<Int>(0)
  var value: Int { number.load(ordering: .acquiring) }
  @discardableResult
  func add(_ amount: Int = 1) -> Int { number.add(amount, ordering: .relaxed).newValue }
  func fail() { add() }
}

/// What threads add, in order.
final class Journal<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  var all: [Element] { elements.withLock { $0 } }
  func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Gives the processor away until something that another thread is about to do has been done.
func yield(until isTrue: () -> Bool) {
  while !isTrue() { sched_yield() }
}

extension LockFile {
  func versionsInUse(_ reaping: Reaping = .never) -> [Version] {
    var versions: [Version] = []
    pinnedVersions(into: &versions, reaping: reaping)
    return versions
  }
}

/// Overwrites bytes of a file behind everybody's back.
func scribble(_ bytes: [UInt8], at offset: Int, of path: String) throws {
  let file = try PosixSystem.shared.openFile(path: path, mode: .readWrite)
  try unsafe bytes.withUnsafeBytes { try unsafe file.write($0, at: UInt64(offset)) }
  file.close()
}

func bytes(_ number: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}

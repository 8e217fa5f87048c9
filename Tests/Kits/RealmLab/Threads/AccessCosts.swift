import Dispatch
import Platform
import EngineLab
import RealmSwift
import TestSupport

/// What reading a property costs in each of the places where a realm can live; the difference is
/// the check of confinement.
public struct AccessCosts {
  private static let readCount = 5_000_000
  private let directory = TemporaryDirectory()

  public init() {}

  public func run() throws -> ScenarioReport {
    var report = ScenarioReport()
    let configuration = LabRealm.configuration(directory.file("access.realm"), .relaxed)
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(LabStep.self, value: ["number": 1]) }
    let queue = DispatchQueue(label: "access")
    let onQueue = try queue.sync {
      measure(try Realm(configuration: configuration, queue: queue))
    }
    let loop = LoopThread(name: "access")
    let onLoop = try loop.performAndWait { () throws -> Double in
      Self.measure(try Realm(configuration: configuration))
    }
    let costs = [
      ("a frozen realm", measure(realm.freeze())), ("a loop's thread", onLoop),
      ("an actor on a loop", wait { await LoopReader(loop.loop).read(configuration) }),
      ("an actor", wait { await Reader().read(configuration) }), ("a serial queue", onQueue),
    ]
    for (place, cost) in costs { report.lines.append("  \(cost) ns a read: \(place)") }
    loop.join()
    return report
  }

  /// From the main thread, which serves no actor meanwhile.
  private func wait(_ body: @escaping @Sendable () async -> Double) -> Double {
    let done = DispatchSemaphore(value: 0)
    let result = LockedValue(0.0)
    Task.detached {
      let cost = await body()
      result.withLock { $0 = cost }
      done.signal()
    }
    done.wait()
    return result.withLock { $0 }
  }

  /// The best of five, nanoseconds to a tenth.
  fileprivate static func measure(_ realm: Realm) -> Double {
    let step = realm.objects(LabStep.self)[0]
    var best = UInt64.max
    for _ in 0..<5 {
      let start = MonotonicClock.now()
      var sum = 0
      for _ in 0..<readCount { sum &+= step.number }
      precondition(sum == readCount)
      best = min(best, MonotonicClock.now() - start)
    }
    return Double(best * 10 / UInt64(readCount)) / 10
  }

  private func measure(_ realm: Realm) -> Double { Self.measure(realm) }
}

private actor Reader {
  func read(_ configuration: Realm.Configuration) async -> Double {
    AccessCosts.measure(try! await Realm.open(configuration: configuration))
  }
}

private actor LoopReader {
  private let loop: UVLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  init(_ loop: UVLoop) { self.loop = loop }

  func read(_ configuration: Realm.Configuration) async -> Double {
    AccessCosts.measure(try! await Realm.open(configuration: configuration))
  }
}

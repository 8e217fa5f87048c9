import Coordination
import Platform
import TestSupport
import Storage
import EngineLab
import Testing

/// Every system call of an operation made to fail in turn.
@Suite struct FaultTests {
  /// What goes wrong, and how.
  struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var code: Int32
    var tears = false
    var forGood = false
    var testDescription: String { name }
  }

  static let faults = [
    Fault(name: "input/output error", code: 5),
    Fault(name: "disk full", code: 28),
    Fault(name: "disk full after half a write", code: 28, tears: true),
    Fault(name: "disk full from here on", code: 28, forGood: true),
  ]

  /// Lets call after call of `operation` fail, until one run is not hit any more.
  ///
  /// - Parameter operation: returns the version that it acknowledged, nil for none.
  private func failEachCall(
    _ fault: Fault, leafCount: Int = 20, wordsMax: Int = 200,
    prepare: (Bench) throws -> Void,
    operation: (Bench) throws -> Void
  ) throws {
    var call = 0
    var failures = 0
    while true {
      let bench = try Bench(leafCount: leafCount, wordsMax: wordsMax, seed: 3)
      try prepare(bench)
      let before = bench.database.newestVersion
      var plan = FaultPlan()
      plan.failingCall = call
      plan.code = fault.code
      plan.tearsWrites = fault.tears
      plan.failsForGood = fault.forGood
      bench.system.faults = plan
      var thrown: (any Error)?
      do { try operation(bench) } catch { thrown = error }
      let fired = bench.system.faults.fired
      bench.system.faults = FaultPlan()
      if fired == 0 {
        #expect(thrown == nil, "nothing failed, call \(call)")
        break
      }
      if let thrown {
        failures += 1
        #expect(thrown is StorageError, "call \(call) threw \(type(of: thrown))")
      }
      try checkIntact(bench, before: before, call: call)
      call += 1
    }
    print("\(fault.name): \(call) calls failed in turn, \(failures) threw")
    #expect(failures > 0)
  }

  /// The last version, or the one in the making, is there whole; the file can be written to, after
  /// reopening where a flush failed.
  private func checkIntact(_ bench: Bench, before: Version, call: Int) throws {
    try bench.open()
    let snapshot = try bench.database.pinNewest()
    #expect(snapshot.version >= before, "call \(call)")
    if bench.leaves[snapshot.version] == nil {
      bench.leaves[snapshot.version] = bench.leaves[before]
    }
    try bench.check(snapshot)
    try bench.verify()
    try bench.commit()
    try bench.check(try bench.database.pinNewest())
    try bench.verify()
  }

  @Test(arguments: faults)
  func `a commit whose calls fail throws and loses nothing`(fault: Fault) throws {
    try failEachCall(fault) { bench in
      for _ in 0..<5 { try bench.commit() }
    } operation: { bench in
      try bench.commit()
    }
  }

  @Test(arguments: faults)
  func `a commit that grows the file, whose calls fail, throws and loses nothing`(
    fault: Fault
  ) throws {
    try failEachCall(fault, wordsMax: 20000) { bench in
      try bench.commit()
    } operation: { bench in
      let size = try bench.database.pinNewest().logicalSize
      try bench.commit()
      try bench.commit()
      #expect(try bench.database.pinNewest().logicalSize > size)
    }
  }

  @Test(arguments: faults)
  func `an opening whose calls fail throws and loses nothing`(fault: Fault) throws {
    try failEachCall(fault) { bench in
      for _ in 0..<5 { try bench.commit() }
    } operation: { bench in
      try bench.open()
    }
  }

  @Test(arguments: faults)
  func `a compaction whose calls fail throws and loses nothing`(fault: Fault) throws {
    try failEachCall(fault, leafCount: 400, wordsMax: 400) { bench in
      try bench.commit()
      try bench.dropAllLeaves(butEvery: 10)
    } operation: { bench in
      let leaves = bench.leaves[bench.database.newestVersion]
      defer {
        for more in 0...3 as ClosedRange<UInt64> {
          let version = bench.database.newestVersion.advanced(by: more)
          bench.leaves[version] = bench.leaves[version] ?? leaves
        }
      }
      try bench.database.compactStep(force: true)
    }
  }

  /// Takes all pins that there is room for, and lets the lock-file not grow any more.
  private func fillPins(_ bench: Bench) throws -> [Snapshot] {
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.kinds = [.fallocate]
    plan.code = 28
    plan.failsForGood = true
    bench.system.faults = plan
    var pins: [Snapshot] = []
    while let pin = try bench.database.pinNewestIfRoom() { pins.append(pin) }
    return pins
  }

  @Test func `a commit for whose pin there is no room throws and publishes nothing`() throws {
    let bench = try Bench()
    for _ in 0..<20 { try bench.commit() }
    var pins = try fillPins(bench)
    let calls = bench.system.calls.count { $0 == .write }
    #expect {
      try bench.commit()
    } throws: { error in
      (error as? StorageError)?.code == .outOfDiskSpace
    }
    #expect(bench.database.newestVersion == 21)
    #expect(bench.system.calls.count { $0 == .write } == calls, "nothing was written")
    // One free slot is enough, and is what holds the new version.
    pins.removeLast()
    let newest = try bench.commit()
    #expect(newest.version == 22)
    #expect(try bench.database.pinNewestIfRoom() == nil)
    #expect(bench.database.pins().count { $0.version == 22 } == 1)
    try bench.check(newest)
    pins = []
    try bench.commit()
    try bench.check(newest)
    try bench.verify()
  }

  @Test func `a commit that fails after it has claimed its pin gives it back`() throws {
    let bench = try Bench()
    try bench.commit()
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.kinds = [.write]
    bench.system.faults = plan
    #expect(throws: StorageError.self) { try bench.commit() }
    #expect(bench.database.newestVersion == 2)
    #expect(bench.database.pins() == [])
  }

  @Test func `versions that there is no room to pin are flushed all the same`() throws {
    let bench = try Bench(durability: .relaxed)
    for _ in 0..<20 { try bench.commit() }
    var pins = try fillPins(bench)
    #expect(bench.database.durableVersion == 1 && !pins.isEmpty)
    try bench.database.flush()
    #expect(bench.database.durableVersion == 21)
    pins = []
    bench.system.faults = FaultPlan()
    try bench.open()
    try bench.check(try bench.database.pinNewest())
    try bench.verify()
  }

  /// A process that dies in a commit leaves the next writer to read the slots, of which one has to
  /// be durable.
  @Test func `a slot that could not be written leaves an in-memory file one that recovery needs`()
    throws
  {
    let bench = try Bench(durability: .inMemory)
    try bench.commit()
    let slot = { bench.system.contents(of: "/a.realm")[4096..<4608] }
    let first = slot()
    #expect(first.contains { $0 != 0 })
    var plan = FaultPlan()
    plan.failingCall = 1
    plan.failsForGood = true
    plan.kinds = [.write]
    bench.system.faults = plan
    #expect(throws: StorageError.self) { try bench.commit() }
    bench.system.faults = FaultPlan()
    try bench.check(try bench.commit())
    #expect(slot() == first, "the slot of the first version is not as it was")
    try bench.verify()
  }
}

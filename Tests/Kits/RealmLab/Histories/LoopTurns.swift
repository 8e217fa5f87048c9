import Foundation
import Glibc
import RealmSwift

/// How long a loop is kept from turning while observers of a large collection are told of changes.
public final class LoopTurns: @unchecked Sendable {
  // Sendable: all but the constants is used on the loop's thread.

  public final class Reading: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: Int
    @Persisted var place: String
  }

  /// The longest turns of one phase: as a clock on the wall sees them, and in time of the loop's
  /// thread alone, which other programs do not disturb.
  struct Longest {
    var elapsed = Duration.zero
    var busy = Duration.zero

    var text: String { "\(Self.milliseconds(elapsed)) ms, busy \(Self.milliseconds(busy)) ms" }

    private static func milliseconds(_ duration: Duration) -> String {
      let (seconds, attoseconds) = duration.components
      return String(format: "%.2f", Double(seconds) * 1e3 + Double(attoseconds) * 1e-15)
    }
  }

  private let objects: Int
  private let commits: Int
  private let directory: URL
  private let configuration: Realm.Configuration
  private let thread = LoopThread(name: "turns")
  private let told = DispatchSemaphore(value: 0)
  private var token: NotificationToken?
  private var timer: LoopTimer?
  private var longest = Longest()

  public init(objects: Int, commits: Int) throws {
    self.objects = objects
    self.commits = commits
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("lab-turns-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    var configuration = Realm.Configuration(
      fileURL: directory.appendingPathComponent("turns.realm"), objectTypes: [Reading.self])
    configuration.durability = .relaxed
    self.configuration = configuration
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  public func run() throws {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for id in 0..<objects {
        realm.create(Reading.self, value: ["id": id, "value": id * 7919 % 100_003, "place": "p"])
      }
    }
    startTicking()
    show("first results") { self.observe() }
    for changed in [1, 100, objects / 10, objects] {
      show("change sets of \(changed) objects, \(commits) commits", times: commits) {
        try! self.change(changed, realm)
      }
    }
    thread.performAndWait {
      self.timer?.cancel()
      self.token = nil
    }
    thread.join()
  }

  /// Runs the body that often, waiting each time until the observer has been told.
  private func show(_ phase: String, times: Int = 1, _ body: () -> Void) {
    thread.performAndWait { self.longest = Longest() }
    let start = ContinuousClock.now
    for _ in 0..<times {
      body()
      told.wait()
    }
    let elapsed = (ContinuousClock.now - start) / times
    let longest = thread.performAndWait { self.longest.text }
    print("\(phase): longest turn \(longest); told \(elapsed) after it began")
  }

  private func observe() {
    thread.perform { [self] in
      let realm = try! Realm(configuration: configuration)
      token = realm.objects(Reading.self).where { $0.value > 100 }.sorted(by: \.value).observe {
        change in
        // What a view would do: how many there are, and those that are on the screen.
        if case .update(let readings, _, _, _) = change { _ = readings.prefix(20).map(\.value) }
        if case .initial(let readings) = change { _ = readings.count }
        self.told.signal()
      }
    }
  }

  private func change(_ count: Int, _ realm: Realm) throws {
    try realm.write {
      let first = Int.random(in: 0...(objects - count))
      for id in first..<(first + count) {
        let reading = realm.object(ofType: Reading.self, forPrimaryKey: id)!
        reading.value = Int.random(in: 101..<100_000)
      }
    }
  }

  private func startTicking() {
    thread.performAndWait { [self] in
      var last = ContinuousClock.now
      var busy = Self.threadTime()
      timer = thread.loop.schedule(after: .milliseconds(1), every: .milliseconds(1)) { [self] in
        let now = ContinuousClock.now
        let busyNow = Self.threadTime()
        longest.elapsed = max(longest.elapsed, now - last)
        longest.busy = max(longest.busy, busyNow - busy)
        (last, busy) = (now, busyNow)
      }
    }
  }

  private static func threadTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

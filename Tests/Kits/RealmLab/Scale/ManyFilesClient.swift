import Foundation
import Platform
import EngineLab
import RealmSwift

/// Opens many files on one loop, observes each of them, and writes to them from another thread.
final class ManyFilesClient: @unchecked Sendable {
  // Sendable: `realms` and `tokens` belong to the loop's thread, the rest to the first thread.

  private let folder: String
  private let files: Int
  private let thread = LoopThread(name: "files")
  private var realms: [Realm] = []
  private var tokens: [NotificationToken] = []
  private let told = DispatchSemaphore(value: 0)

  init(_ words: Words) throws {
    folder = words.text(1)
    files = words.number(2)
    let limit = UInt(words.number(3))
    if limit > 0 {
      var both = rlimit(rlim_cur: limit, rlim_max: limit)
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &both) == 0 else {
        fatalError("setrlimit: errno \(errno)")
      }
    }
  }

  func run() {
    say("ready")
    forEachCommand { words in try self.perform(words) }
  }

  private func perform(_ words: Words) throws -> String {
    switch words.text(0) {
    case "open":
      let start = MonotonicClock.now()
      try thread.performAndWait { () throws(OpeningFailure) in try self.open() }
      for _ in 0..<files { told.wait() }
      return "opened \(MonotonicClock.now() - start)"
    case "write": return try write()
    case "await": return "told \(awaitTold(words.number(1)))"
    case "figures":
      return "figures \(ProcessFigures.threads()) \(ProcessFigures.descriptors())"
        + " \(ProcessFigures.addressSpaceBytes()) \(ProcessFigures.privateDirtyBytes())"
    case "idle":
      let before = ProcessFigures.processorTime()
      BackgroundThread.pause(nanoseconds: UInt64(words.number(1)) * 1_000_000_000)
      return "idle \(ProcessFigures.processorTime() - before)"
    case "close":
      thread.performAndWait {
        self.tokens = []
        self.realms = []
      }
      thread.join()
      return "closed"
    default: exit(0)
    }
  }

  private func configuration(_ index: Int) -> Realm.Configuration {
    PersonFile(path: "\(folder)/\(index).realm", durability: .relaxed).configuration
  }

  private struct OpeningFailure: Error, CustomStringConvertible {
    var description: String
  }

  private func open() throws(OpeningFailure) {
    for index in 0..<files {
      do {
        let realm = try Realm(configuration: configuration(index))
        realms.append(realm)
        tokens.append(
          realm.objects(ScalePerson.self).observe { [told] _ in told.signal() })
      } catch {
        throw OpeningFailure(description: "file \(index): \(error)")
      }
    }
  }

  private func write() throws -> String {
    let start = MonotonicClock.now()
    for index in 0..<files {
      let realm = try Realm(configuration: configuration(index))
      try realm.write { realm.add(ScalePerson(index)) }
    }
    let count = awaitTold(files)
    return "told \(count) \(MonotonicClock.now() - start)"
  }

  /// How many observers have been told, of those that should be, within a minute.
  private func awaitTold(_ wanted: Int) -> Int {
    let deadline = DispatchTime.now() + .seconds(60)
    for count in 0..<wanted where told.wait(timeout: deadline) == .timedOut { return count }
    return wanted
  }
}

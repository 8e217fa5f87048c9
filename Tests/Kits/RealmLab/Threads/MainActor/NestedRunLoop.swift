import EngineLab
import Foundation
import RealmSwift
import TestSupport

/// A program whose main queue waits inside one of its own blocks, running the run loop meanwhile.
public struct NestedRunLoop {
  private let directory = TemporaryDirectory()

  public init() {}

  public func run() throws -> [String] {
    let child = try ChildProcess(labRole: ["nested-run-loop", directory.file("main.realm")])
    var lines: [String] = []
    while lines.last != "end" { lines.append(try child.readLine()) }
    return lines
  }

  /// In the child.
  static func serve(_ path: String) {
    DispatchQueue.main.async {
      write(path)
      say("end")
      exit(0)
    }
    while RunLoop.main.run(mode: .default, before: .distantFuture) {}
  }

  private static func write(_ path: String) {
    let realm = try! Realm(configuration: LabRealm.configuration(path, .full))
    var events: [String] = []
    let token = realm.objects(LabEntry.self).observe { events.append("told of \($0)") }
    realm.writeAsync {
      realm.create(LabEntry.self, value: ["transaction": 2])
      say("written")
    } onComplete: { _ in
      say("complete")
      events.append("complete")
    }
    let end = Date(timeIntervalSinceNow: 20)
    while !events.contains("complete"), end.timeIntervalSinceNow > 0 {
      _ = RunLoop.main.run(mode: .default, before: end)
    }
    say("told \(events.contains { $0.hasPrefix("told of initial") })")
    token.invalidate()
  }
}

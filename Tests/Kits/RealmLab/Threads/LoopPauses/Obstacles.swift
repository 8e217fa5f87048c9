import Foundation
import Platform
import EngineLab
import RealmSwift
import Synchronization

/// Takes the writer again and again and holds it for a while, until it is killed.
struct WriterHolder {
  let path: String
  let hold_ms: Int
  let pause_ms: Int

  func run() throws {
    let realm = try Realm(configuration: LabRealm.configuration(path, .relaxed))
    while true {
      realm.beginWrite()
      BackgroundThread.pause(nanoseconds: UInt64(hold_ms) * 1_000_000)
      realm.object(ofType: LabCounter.self, forPrimaryKey: "holds")!.value += 1
      try realm.commitWrite()
      BackgroundThread.pause(nanoseconds: UInt64(pause_ms) * 1_000_000)
    }
  }
}

/// Commits transactions of ten megabytes with full flushes, one after the other: one large object,
/// or many objects of less.
final class Loader: Sendable {
  private static let partCounts = [1, 160, 10_000]
  private static let bytesPerTransaction = 10 << 20

  private let isStopped = Atomic<Bool>(false)
  private let end = DispatchSemaphore(value: 0)

  static func start(_ path: String) throws -> Loader {
    let loader = Loader()
    try BackgroundThread.start(name: "loader") {
      do { try loader.run(path) } catch { fatalError("\(error)") }
      loader.end.signal()
    }
    return loader
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    end.wait()
  }

  func run(_ path: String) throws {
    let realm = try Realm(configuration: LabRealm.configuration(path, .full))
    var round = 0
    while !isStopped.load(ordering: .relaxed) {
      round += 1
      let count = Self.partCounts[round % Self.partCounts.count]
      let bytes = Data(
        repeating: UInt8(truncatingIfNeeded: round), count: Self.bytesPerTransaction / count)
      try realm.write {
        realm.delete(realm.objects(LabLoad.self))
        for number in 0..<count {
          realm.create(LabLoad.self, value: ["number": number, "bytes": bytes])
        }
        realm.object(ofType: LabCounter.self, forPrimaryKey: "loads")!.value += 1
      }
    }
  }
}

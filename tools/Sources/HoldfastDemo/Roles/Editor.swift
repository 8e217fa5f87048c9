import Foundation
import RealmSwift

/// Keeps editing what the importer writes: small transactions, one after another, from the main
/// thread, which runs a loop.
final class Editor {
  private let realm: Realm
  private let packages: Results<Package>
  private let loop: UVLoop
  private let pause: Duration
  private var notes = 0

  init(file: String, pause: Duration) throws {
    let started = monotonicNanoseconds()
    loop = UVLoop()
    realm = try Realm(configuration: Store.configuration(file))
    packages = realm.objects(Package.self)
    self.pause = pause
    Wire.ready(since: started)
  }

  func run() {
    let loop = loop
    Wire.receive { order in if order == .quit { loop.stop() } }
    loop.schedule(after: pause, every: pause) { [unowned self] in
      do { try edit() } catch {
        Wire.send(.problem("an edit failed: \(error)"))
        loop.stop()
      }
    }
    loop.run()
  }

  private func edit() throws {
    let asked = monotonicNanoseconds()
    realm.beginWrite()
    let waited = monotonicNanoseconds() - asked
    let what = packages.isEmpty ? "nothing there yet" : change()
    let number = Store.beat("editor", in: realm)
    let called = monotonicNanoseconds()
    try realm.commitWrite()
    Wire.send(
      .committed(
        Commit(
          number: number, waited: waited, calledAt: called, returnedAt: monotonicNanoseconds(),
          what: what)))
  }

  private func change() -> String {
    let package = packages[Int.random(in: 0..<packages.count)]
    package.stars += Int.random(in: 1...5)
    notes += 1
    let first = realm.objects(Note.self).first
    if let first, notes % 3 == 0 {
      realm.delete(first)
      return "a note deleted"
    }
    let number = (realm.objects(Note.self).max(of: \.number) ?? 0) + 1
    realm.create(
      Note.self, value: ["number": number, "text": "note \(number)", "package": package])
    return "a note on \(package.name)"
  }
}

import Dispatch
import Platform
import RealmSwift
import Storage

/// Makes a commit after which no more versions of its file can be pinned, by anybody.
final class PinShortage: Sendable {
  private let disk: FailingDisk
  private let database: Database
  private let pins = LockedValue<[Snapshot]>([])
  private let writer = LoopThread(name: "writer")
  private let realm = Box<Realm?>(nil)
  private let frozen = Box<Realm?>(nil)
  private let refusal = DispatchSemaphore(value: 0)

  /// - Parameter disk: what the file's realms use.
  init(of file: TemporaryRealm, on disk: FailingDisk) throws {
    self.disk = disk
    database = try Database.open(path: file.path, system: disk)
    writer.performAndWait { [realm] in
      realm.value = try! file.open()
      realm.value!.autorefresh = false
    }
  }

  /// Takes all pins that there is room for but one, and the commit takes that and keeps it.
  func commit(_ body: @escaping @Sendable (Realm) -> Void) {
    disk.refuseMorePins { [refusal] in refusal.signal() }
    while let pin = try! database.pinNewestIfRoom() { pins.withLock { $0.append(pin) } }
    // Somebody wanted room above.
    while refusal.wait(timeout: .now()) == .success {}
    writer.performAndWait { [self] in
      // Its version stays pinned, so that the commit sets no slot free.
      frozen.value = realm.value!.freeze()
      pins.withLock { _ = $0.popLast() }
      try! realm.value!.write { body(realm.value!) }
    }
  }

  /// Waits until somebody has wanted to pin a version and could not.
  func waitForRefusal() { refusal.wait() }

  func end() {
    disk.allowMorePins()
    pins.withLock { $0 = [] }
    writer.performAndWait { [realm, frozen] in
      realm.value = nil
      frozen.value = nil
    }
    writer.join()
  }
}

import Foundation
import RealmSwift

/// A process on a device's file. Its main thread runs a loop, on which its realm follows what all
/// others write: the device's other process, and the other device through the server.
final class DeviceProcess: @unchecked Sendable {
  // Sendable: everything is used on the loop's thread, to which orders are handed.

  private let name: String
  private let loop = UVLoop()
  private let realm: Realm
  private let entries: Results<Entry>
  private var token: NotificationToken?
  private var editsLeft = 0
  private var number = 0
  private var made: [String] = []

  init(name: String, url: String, file: String) throws {
    self.name = name
    let user = try Self.logIn(url)
    var configuration = user.flexibleSyncConfiguration { subscriptions in
      if subscriptions.count == 0 { subscriptions.append(QuerySubscription<Entry>(name: "all")) }
    }
    configuration.fileURL = URL(filePath: file)
    configuration.objectTypes = [Entry.self]
    realm = try Realm(configuration: configuration)
    entries = realm.objects(Entry.self)
  }

  private static func logIn(_ url: String) throws -> User {
    let app = App(id: Account.app, configuration: AppConfiguration(baseURL: url))
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Result<User, any Error>?
    app.login(credentials: .emailPassword(email: Account.email, password: Account.password)) {
      unsafe result = $0
      done.signal()
    }
    done.wait()
    return try unsafe result!.get()
  }

  func run() {
    token = entries.observe { change in
      if case .update(let entries, _, _, _) = change {
        Wire.send(.changed(entries: entries.count))
      }
    }
    Wire.receive { [self] order in _ = loop.execute { self.obey(order) } }
    loop.schedule(after: .milliseconds(2), every: .milliseconds(2)) { [unowned self] in
      editIfAsked()
    }
    Wire.send(.ready)
    loop.run()
  }

  private func obey(_ order: Order) {
    switch order {
    case .edit(let count): editsLeft += count
    case .goOffline: realm.syncSession?.suspend()
    case .goOnline: realm.syncSession?.resume()
    case .upload:
      realm.syncSession?.wait(for: .upload, queue: nil) { error in
        Wire.send(error.map { .problem("an upload failed: \($0)") } ?? .uploaded)
      }
    case .tellContents:
      realm.refresh()
      Wire.send(.contents(entries.map(\.line).sorted()))
    case .quit: loop.stop()
    }
  }

  private func editIfAsked() {
    if editsLeft == 0 { return }
    editsLeft -= 1
    do { try edit() } catch {
      Wire.send(.problem("an edit failed: \(error)"))
      loop.stop()
    }
    if editsLeft == 0 {
      Wire.send(.edited(made: made))
      made = []
    }
  }

  /// One transaction: a new entry, a change of one, or the removal of one.
  private func edit() throws {
    let kind = entries.count < 10 ? 0 : Int.random(in: 0..<10)
    if kind < 5 { return try add() }
    try realm.write {
      guard let entry = entries.randomElement() else { return }
      switch kind {
      case 5, 6: entry.count += 1
      case 7, 8: entry.notes.append(name)
      default:
        Wire.send(.removing(entry._id))
        realm.delete(entry)
      }
    }
  }

  private func add() throws {
    number += 1
    let key = "\(name)/\(number)"
    Wire.send(.making(key))
    try realm.write {
      realm.create(Entry.self, value: ["_id": key, "title": "thing \(number)", "count": 1])
    }
    made.append(key)
  }
}

import Foundation
import RealmSwift
import Testing

// The code of the guide, as it stands there: so it is known to compile.

final class Errand: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var text: String
  @Persisted var owner: String
  @Persisted var isDone = false
  @Persisted var notes: List<String>
}

@MainActor
func openErrands(at address: String) async throws -> Realm {
  let app = App(id: "errands", configuration: AppConfiguration(baseURL: address))
  let user = try await app.login(credentials: .anonymous)
  let configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
    subscriptions.append(QuerySubscription<Errand>(name: "all"))
  })
  return try await Realm(configuration: configuration, downloadBeforeOpen: .once)
}

@MainActor
func showOnly(_ owner: String, in realm: Realm) async throws {
  let subscriptions = realm.subscriptions
  try await subscriptions.update {
    subscriptions.remove(named: "all")
    subscriptions.append(
      QuerySubscription<Errand>(name: "mine") { $0.owner == owner })
  }
}

func finishUploads(of realm: Realm) async throws {
  try await realm.syncSession?.wait(for: .upload)
}

@MainActor
func makeSeed(of realm: Realm, at url: URL) async throws {
  try await realm.syncSession?.wait(for: .upload)
  realm.refresh()
  var configuration = realm.configuration
  configuration.fileURL = url
  try realm.writeCopy(configuration: configuration)
}

func watchConnection(
  of realm: Realm, _ show: @Sendable (SyncSession.ConnectionState) -> Void
) async {
  guard let session = realm.syncSession else { return }
  for await state in session.connectionStates { show(state) }
}

func handleErrors(of app: App, _ report: @escaping @Sendable (String) -> Void) {
  app.syncManager.errorHandler = { error, session in report("\(error)") }
}

@Suite("the guide") struct GuideTests {
  @Test("has the code that is compiled here, and no other")
  func code() throws {
    let here = URL(fileURLWithPath: #filePath)
    let root = here.deletingLastPathComponent().appendingPathComponent("../../..")
    let guide = try String(
      contentsOf: root.appendingPathComponent(
        "Sources/RealmSwift/RealmSwift.docc/Synchronisation.md"), encoding: .utf8)
    let compiled = try String(contentsOf: here, encoding: .utf8)
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count >= 6)
    for block in blocks { #expect(compiled.contains(block), "\(block)") }
  }
}

import Foundation
import EngineLab
import RealmSwift

/// What a program does on its main actor, whatever serves that: opens a realm, writes, observes,
/// and hears of a commit of another process. Says each step to its parent, which makes that commit
/// when the program says that it observes.
@MainActor public final class MainActorProgram {
  private let path: String
  private var token: NotificationToken?

  public init(path: String) { self.path = path }

  public func run() async throws {
    let configuration = LabRealm.configuration(path, .full)
    let realm = try await Realm(configuration: configuration)
    Realm.Configuration.defaultConfiguration = configuration
    let other = try await Realm()
    say("opened \(other == realm && Thread.isMainThread)")
    try await realm.asyncWrite {
      realm.create(LabEntry.self, value: ["transaction": 1])
    }
    say("written \(realm.objects(LabEntry.self).count) \(Thread.isMainThread)")
    await observe(realm)
  }

  /// Until another process has committed. Nothing here refreshes the realm.
  private func observe(_ realm: Realm) async {
    let (told, tell) = AsyncStream.makeStream(of: String.self)
    token = await realm.objects(LabEntry.self).observe(on: MainActor.shared) { _, change in
      MainActor.assertIsolated()
      switch change {
      case .initial(let entries): tell.yield("observes \(entries.count)")
      case .update(let entries, _, let insertions, _):
        tell.yield("told +\(insertions.count) of \(entries.count) \(Thread.isMainThread)")
        tell.finish()
      case .error(let error): tell.yield("\(error)")
      }
    }
    for await line in told { say(line) }
    say("moved on \(realm.objects(LabEntry.self).count)")
  }
}

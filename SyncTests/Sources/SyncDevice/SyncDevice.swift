import Foundation
import RealmSwift
import SyncModels

/// A process on a synced file, which says what it does.
///
/// `SyncDevice APP URL PATH EMAIL PASSWORD` adds a dog for each line that it reads, but suspends the
/// session for `suspend`, and for that and `state` says the session's. With a name and
/// a number of milliseconds after these it logs in, waits for a line, and then writes on and on
/// (`SteadyWriter`).
@main
struct SyncDevice {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let app = App(id: arguments[1], configuration: AppConfiguration(baseURL: arguments[2]))
    let user = try await app.login(
      credentials: .emailPassword(email: arguments[4], password: arguments[5]))
    var configuration = user.flexibleSyncConfiguration { _ in }
    configuration.fileURL = URL(fileURLWithPath: arguments[3])
    configuration.objectTypes = [Dog.self, Collar.self]
    if arguments.count > 7, let period = Int32(arguments[7]) {
      app.syncManager.userAgent = arguments[6]
      try SteadyWriter.run(configuration, arguments[6], periodMilliseconds: period)
    } else {
      try addDogs(configuration)
    }
  }

  private static func addDogs(_ configuration: Realm.Configuration) throws {
    let realm = try Realm(configuration: configuration)
    say("open")
    while let line = readLine() {
      if line == "suspend" { realm.syncSession?.suspend() }
      if line == "suspend" || line == "state" {
        say(realm.syncSession.map { "\($0.state)" } ?? "none")
        continue
      }
      realm.refresh()
      try realm.write { realm.add(Dog(name: line)) }
      say("wrote \(line)")
    }
  }

  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}

import Foundation
import RealmSwift
import SyncModels

/// A process on a synced file: adds a dog for each line that it reads, and says so.
@main
struct SyncDevice {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let app = App(id: arguments[1], configuration: AppConfiguration(baseURL: arguments[2]))
    let user = try await app.login(
      credentials: .emailPassword(email: arguments[4], password: arguments[5]))
    try run(user, arguments[3])
  }

  private static func run(_ user: User, _ path: String) throws {
    var configuration = user.flexibleSyncConfiguration { _ in }
    configuration.fileURL = URL(fileURLWithPath: path)
    configuration.objectTypes = [Dog.self, Collar.self]
    let realm = try Realm(configuration: configuration)
    say("open")
    while let line = readLine() {
      realm.refresh()
      try realm.write { realm.add(Dog(name: line)) }
      say("wrote \(line)")
    }
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}

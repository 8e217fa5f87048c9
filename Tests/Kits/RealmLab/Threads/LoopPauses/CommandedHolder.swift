import Foundation
import EngineLab
import RealmSwift

/// Holds the writer when it is told to.
struct CommandedHolder {
  let path: String

  func run() throws {
    let realm = try Realm(configuration: LabRealm.configuration(path, .relaxed))
    while let line = readLine() {
      if line == "begin" { realm.beginWrite() } else { realm.cancelWrite() }
      say(line)
    }
  }
}

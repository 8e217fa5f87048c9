import RealmSwift

/// A program as users write it, with nothing imported but the library. A test runs it: it says
/// `done` at its end, or what was not as expected.
@main
struct GuideProgram {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("guide-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    var configuration = Realm.Configuration.defaultConfiguration
    configuration.fileURL = folder.appendingPathComponent("library.realm")
    Realm.Configuration.defaultConfiguration = configuration

    let realm = try Realm()
    expect(realm.isEmpty, "a new file is empty")
    try Shop(realm: realm).run()
    try Reading(realm: realm).run()
    try Views(realm: realm).run()
    try Sharing(realm: realm).run()
    try Files(realm: realm, folder: folder).run()
    print("done")
  }
}

/// Ends the program if something is not as it should be.
func expect(_ holds: Bool, _ what: String, line: Int = #line) {
  if holds { return }
  print("WRONG in line \(line): \(what)")
  exit(1)
}

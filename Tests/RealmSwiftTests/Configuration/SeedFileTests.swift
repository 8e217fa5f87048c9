import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite struct SeedFileTests {
  private let directory = TemporaryDirectory()

  private func open(seed: String, at name: String = "notes.realm") throws -> Realm {
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: directory.file(name)), objectTypes: [SecretNote.self])
    configuration.seedFilePath = URL(fileURLWithPath: directory.file(seed))
    return try Realm(configuration: configuration)
  }

  private func refusal(_ body: () throws -> Realm) -> String {
    do {
      _ = try body()
      return "opened"
    } catch { return "\(error)" }
  }

  @Test func `a seed that is no regular file is refused, and not waited for`() throws {
    #expect(unsafe mkfifo(directory.file("pipe"), 0o600) == 0)
    try FileManager.default.createDirectory(
      atPath: directory.file("folder"), withIntermediateDirectories: false)
    for seed in ["pipe", "folder"] {
      let text = refusal { try open(seed: seed) }
      #expect(text.contains("\(seed)' is not a regular file"), "\(text)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
  }

  @Test func `a link that leads nowhere is not replaced by a copy of the seed`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("notes.realm"), withDestinationPath: directory.file("away"))
    _ = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: directory.file("seed.realm")),
        objectTypes: [SecretNote.self]))
    let text = refusal { try open(seed: "seed.realm") }
    #expect(text.contains("symbolic link that leads nowhere"), "\(text)")
  }
}

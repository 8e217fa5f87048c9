import Foundation
import Testing

@testable import RealmSwift

@Suite struct ConfigurationTests {
  @Test func defaultsToAFileNamedAfterTheProgram() {
    let home = URL(fileURLWithPath: "/home/ada", isDirectory: true)
    func directory(_ environment: [String: String]) -> String {
      Realm.Configuration.defaultDirectory(
        environment: environment,
        program: "shop",
        home: home
      ).path
    }
    #expect(directory([:]) == "/home/ada/.local/share/shop")
    #expect(directory(["XDG_DATA_HOME": "/data"]) == "/data/shop")
    #expect(directory(["XDG_DATA_HOME": "relative"]) == "/home/ada/.local/share/shop")
    #expect(Realm.Configuration().fileURL?.lastPathComponent == "default.realm")
    #expect(Realm.Configuration().fileURL == Realm.Configuration.defaultFileURL)
  }

  @Test func inMemoryDataHasAFileThatProcessesShare() {
    func path(_ identifier: String, _ environment: [String: String]) -> String {
      Realm.Configuration.inMemoryURL(
        identifier,
        environment: environment,
        program: "shop"
      ).path
    }
    #expect(path("cart", ["XDG_RUNTIME_DIR": "/run/user/7"]) == "/run/user/7/shop.cart.realm")
    #expect(
      path("a/../b", ["XDG_RUNTIME_DIR": "/run/user/7"]) == "/run/user/7/shop.a%2F..%2Fb.realm"
    )
  }

  @Test func fileAndIdentifierReplaceEachOther() {
    let url = URL(fileURLWithPath: "/tmp/a.realm")
    var configuration = Realm.Configuration(fileURL: url)
    #expect(configuration.path == "/tmp/a.realm")
    configuration.inMemoryIdentifier = "memory"
    #expect(configuration.fileURL == nil)
    #expect(configuration.inMemoryIdentifier == "memory")
    configuration.fileURL = url
    #expect(configuration.inMemoryIdentifier == nil)
    #expect(configuration.fileURL == url)
  }

  @Test func equalityLooksAtWhatDecidesTheData() {
    let url = URL(fileURLWithPath: "/tmp/a.realm")
    let plain = Realm.Configuration(fileURL: url)
    var other = plain
    other.maximumNumberOfActiveVersions = 3
    other.durability = .relaxed
    other.objectTypes = []
    other.migrationBlock = { _, _ in }
    #expect(plain == other)
    other.schemaVersion = 2
    #expect(plain != other)
    #expect(plain != Realm.Configuration(fileURL: url, readOnly: true))
    #expect(plain != Realm.Configuration(inMemoryIdentifier: "a"))
    #expect(plain != Realm.Configuration(fileURL: url, encryptionKey: Data(count: 64)))
  }

  @Test func descriptionHidesTheKey() {
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: "/tmp/a.realm"),
      encryptionKey: Data(repeating: 7, count: 64)
    )
    #expect(configuration.description.contains("fileURL = file:///tmp/a.realm;"))
    #expect(configuration.description.contains("encryptionKey = (set);"))
  }

  @Test func contradictionsAreMisuse() async {
    await #expect(processExitsWith: .failure) {
      _ = Realm.Configuration(encryptionKey: Data(count: 63))
    }
    await #expect(processExitsWith: .failure) {
      _ = Realm.Configuration(fileURL: URL(string: "https://example.org/a.realm")!)
    }
    await #expect(processExitsWith: .failure) {
      _ = Realm.Configuration(schemaVersion: .max)
    }
  }
}

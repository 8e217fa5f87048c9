import Foundation
import RealmSwift
import Testing

// F4: too many versions at once are an error that programs can handle, not a misuse.

@Suite struct VersionLimitTests {
  private func limited(_ path: String) -> Realm.Configuration {
    var configuration = TemporaryRealm.configuration(path: path, MisuseScene.types)
    configuration.maximumNumberOfActiveVersions = 3
    return configuration
  }

  @Test("a commit beyond the number of versions throws; once versions are let go it succeeds")
  func tooManyVersions() throws {
    let file = TemporaryRealm(MisuseScene.types)
    let realm = try Realm(configuration: limited(file.path))
    var held: [Realm] = []
    let error = #expect(throws: Realm.Error.self) {
      for number in 0..<10 {
        try realm.write { realm.add(Volume(value: ["title": "\(number)", "pages": number])) }
        held.append(realm.freeze())
      }
    }
    #expect(error?.code == .fail)
    #expect(error?.fileURL?.path == file.path)
    #expect(error?.localizedDescription.contains("versions") == true)
    #expect(realm.objects(Volume.self).count == held.count, "the failed commit left nothing")
    held = []
    try realm.write { realm.add(Volume()) }
  }
}

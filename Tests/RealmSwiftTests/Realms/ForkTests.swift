import Foundation
import RealmSwift
import Testing

final class ForkedNote: Object {
  @Persisted var text = ""
}

@Suite struct ForkTests {
  @Test func `a realm carried into a forked child stops with its own message`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      exit(try await forkAndCount())
    }
  }
}

/// Opens a realm, forks, and counts its objects in the child: 7 if that ends in the misuse meant for
/// it, 8 in another one.
@MainActor
private func forkAndCount() throws -> Int32 {
  RealmMisuse.handler = { _, reason in
    _exit(reason.contains("opened before fork()") ? 7 : 8)
  }
  let realm = try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: "fork-\(UUID().uuidString)", objectTypes: [ForkedNote.self]))
  let child = fork()
  if child == 0 {
    let count = realm.objects(ForkedNote.self).count
    _exit(Int32(count))
  }
  var status: Int32 = 0
  waitpid(child, &status, 0)
  return (status >> 8) & 0xFF
}

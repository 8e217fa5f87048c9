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

  @Test func `a forked child opens what its parent has open`() async {
    await #expect(processExitsWith: .exitCode(2)) {
      exit(try await forkAndOpen())
    }
  }
}

/// Opens a realm, forks, and counts its objects in the child: 7 if that ends in the misuse meant
/// for it, 8 in another one.
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
  return exitCode(of: child)
}

/// Writes to a file, forks, and opens and writes it again in the child: the number of objects
/// there.
@MainActor
private func forkAndOpen() throws -> Int32 {
  let file = TemporaryRealm([ForkedNote.self], .full)
  let realm = try file.open()
  try realm.write { realm.add(ForkedNote()) }
  let child = fork()
  if child == 0 {
    let own = try file.open()
    try own.write { own.add(ForkedNote()) }
    _exit(Int32(own.objects(ForkedNote.self).count))
  }
  let code = exitCode(of: child)
  realm.refresh()
  return Int32(realm.objects(ForkedNote.self).count) == code ? code : -1
}

private func exitCode(of child: pid_t) -> Int32 {
  var status: Int32 = 0
  unsafe waitpid(child, &status, 0)
  return (status >> 8) & 0xFF
}

import Foundation
import Testing

@testable import RealmSwift

@Suite struct RealmMisuseTests {
  @Test func misuseTrapsWithItsReason() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      throwRealmException("Realm accessed from incorrect thread.")
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("RLMException: Realm accessed from incorrect thread."))
  }

  @Test func handlerReplacesTheTrap() async {
    await #expect(processExitsWith: .exitCode(7)) {
      RealmMisuse.handler = { name, reason in
        exit(name == "Invalid property name" && reason == "no such property" ? 7 : 8)
      }
      throwRealmException("no such property", name: "Invalid property name")
    }
  }
}

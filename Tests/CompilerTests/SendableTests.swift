import Foundation
import Testing

// The table of types that may be sent to other threads, types that may not, and types that are
// confined, for all that the library has: in Swift 6 mode the compiler enforces it.

@Suite("the compiler") struct SendableTests {
  let compiler = Compiler()

  @Test("refuses to take confined types, and others that are not Sendable, for Sendable")
  func typesThatAreNotSendable() throws {
    let files = try compiler.cases("Shared") + compiler.cases("MustNotCompile")
    let complaints = try compiler.complaints(about: files, .expectedTypeErrors)
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test("refuses to pass them to an actor, or from one")
  func valuesThatMayNotCross() throws {
    let files = try compiler.cases("Shared") + compiler.cases("MustNotSend")
    let complaints = try compiler.complaints(about: files, .expectedFlowErrors)
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test("accepts what is Sendable, and every way to cross threads")
  func whatMayCross() throws {
    let files = try compiler.cases("Shared") + compiler.cases("MustCompile")
    let complaints = try compiler.complaints(about: files, .nothing)
    #expect(complaints.isEmpty, "\(complaints)")
  }

  @Test("has a case of types and one of flow for every type that may not cross")
  func everyTypeHasBoth() throws {
    let types = try compiler.cases("MustNotSend").map(\.lastPathComponent)
    #expect(types.count >= 14)
    #expect(Set(types).isSubset(of: try compiler.cases("MustNotCompile").map(\.lastPathComponent)))
  }

  @Test("is heard: what is expected in vain, or comes unexpected, is a complaint")
  func complaintsAreHeard() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let inVain = folder.appending(path: "InVain.swift")
    try "let number = 1  // expected-error {{of no kind}}\n"
      .write(to: inVain, atomically: true, encoding: .utf8)
    #expect(
      try compiler.complaints(about: [inVain], .expectedTypeErrors)
        .contains("expected error not produced"))
    let unexpected = folder.appending(path: "Unexpected.swift")
    try "import RealmSwift\nlet realm: Realm = 1\n"
      .write(to: unexpected, atomically: true, encoding: .utf8)
    #expect(
      try compiler.complaints(about: [unexpected], .nothing).contains("cannot convert value"))
  }
}

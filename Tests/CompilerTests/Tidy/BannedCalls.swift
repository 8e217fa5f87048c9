/// Functions that may not be called in a part of the checkout.
struct BannedCalls {
  let names: Set<Substring>
  let allowance: Allowance

  /// Errors are thrown and misuse goes through `throwRealmException`; a library does not print, and
  /// does not poll.
  static let inTheLibrary = BannedCalls(
    names: [
      "print", "debugPrint", "dump", "fatalError", "abort", "exit", "NSLog", "usleep", "sleep",
      "nanosleep", "sched_yield",
    ],
    allowance: Allowance(
      rule: "calls that the library may not make",
      known: [
        // Where misuse stops the program.
        "Sources/RealmSwift/Errors/RealmMisuse.swift": 1,
        // No memory for one object.
        "Sources/RealmSwift/Internals/InstanceTemplate.swift": 1,
        // The one place that lets time pass.
        "Sources/Platform/Threads/BackgroundThread.swift": 1,
        // A method and a case of that name, which wait on a futex.
        "Sources/Coordination/Writer/WriterRole.swift": 2,
        "Sources/Coordination/Writer/SerialWorker.swift": 2,
      ]))

  /// What can be awaited is awaited. Left are loops that are kept busy on purpose, and a wait that
  /// nothing is meant to end.
  static let inTests = BannedCalls(
    names: ["usleep", "nanosleep", "sleep"],
    allowance: Allowance(
      rule: "sleeps in tests",
      known: [
        "Tests/Programs/TestProgram/LoopOnMainThread.swift": 1,
        "Tests/RealmSwiftTests/Misuse/Misuse.swift": 1,
        "Tests/RealmSwiftTests/Threads/AsyncWriteTurnTests.swift": 2,
      ]))

  func complaints(about files: [SourceFile]) -> [String] {
    var findings: [String: [String]] = [:]
    for file in files {
      for index in file.tokens.indices.dropLast() where file.tokens[index + 1].text == "(" {
        let token = file.tokens[index]
        guard names.contains(token.text), !isDeclaration(index, in: file) else { continue }
        findings[file.path, default: []].append("\(token.text) in line \(token.line)")
      }
    }
    return allowance.complaints(about: findings)
  }

  private func isDeclaration(_ index: Int, in file: SourceFile) -> Bool {
    index > 0 && ["func", "case"].contains(file.tokens[index - 1].text)
  }
}

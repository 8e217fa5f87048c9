import Foundation
import RealmSwift
import Testing

// Every misuse in a process of its own, while this one has the same file open.

@Suite("misuse", .serialized) struct MisuseTests {
  @Test(
    "a misuse stops the program with its one line and leaves the file to others",
    arguments: Misuse.all.map(\.name))
  func misuse(name: String) async throws {
    let misuse = Misuse.byName[name]!
    let witness = MisuseWitness()
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [path = witness.path as String, name = name as String] in
      try await Misuse.byName[name]!.commit(MisuseScene(path: path))
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(lines(of: output) == [misuse.kind + ": " + misuse.reason], "\(output)")
    witness.checkFileIsUsable()
  }

  /// What the program says at its end, without the place in the library, and without the trace
  /// that some systems add.
  private func lines(of output: String) -> [String] {
    output.split(separator: "\n").compactMap { line in
      line.range(of: "Fatal error: ").map { String(line[$0.upperBound...]) }
    }
  }

  @Test("a reason is one line, whatever is in it")
  func oneLine() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      throwRealmException("Invalid value 'Volume {\n\ttitle = First;\n}'.")
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(lines(of: output) == ["RLMException: Invalid value 'Volume { title = First; }'."])
  }
}

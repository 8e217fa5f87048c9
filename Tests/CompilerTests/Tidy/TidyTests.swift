import Foundation
import Testing

// Rules that hold for the whole checkout, checked on its sources. Numbers in the lists of what is
// known may only sink.

@Suite("the sources") struct TidyTests {
  private let sources: Sources

  init() throws { sources = try Sources.all.get() }

  private func expect(_ complaints: [String], _ location: SourceLocation = #_sourceLocation) {
    for complaint in complaints { Issue.record("\(complaint)", sourceLocation: location) }
  }

  @Test("are all read: files, declarations, imports")
  func reading() {
    #expect(sources.library.count > 300 && sources.tests.count > 250)
    #expect(sources.programs.count > 40)
    #expect(sources.library.reduce(0) { $0 + $1.declarations.count } > 4_000)
    #expect(sources.library.filter { !$0.imports.isEmpty }.count > 150)
  }

  @Test("import only what lies below them")
  func layers() { expect(Layers.complaints(about: sources.library)) }

  @Test("use types of their own folder and of lower ones", arguments: FolderOrder.all.map(\.target))
  func folders(target: String) throws {
    let order = try #require(FolderOrder.all.first { $0.target == target })
    #expect(order.unknownFolders(in: sources.library).isEmpty)
    let known = FolderOrder.known[target] ?? [:]
    let allowance = Allowance(rule: "uses of higher folders in \(target)", known: known)
    expect(allowance.complaints(about: order.upwardUses(in: sources.library)))
  }

  @Test("make no calls that their layer may not make")
  func bannedCalls() {
    expect(BannedCalls.inTheLibrary.complaints(about: sources.library))
    expect(BannedCalls.inTests.complaints(about: sources.tests))
  }

  @Test("have nothing that only tests use, but for what is listed")
  func deadCode() { expect(DeadCode.complaints(about: sources)) }

  @Test("have functions of at most 70 lines, files of at most 400, and no unfinished work")
  func shapes() { expect(Shapes.complaints(about: sources.everything)) }

  @Test("have lines of at most 100 columns")
  func lines() {
    expect(Shapes.knownLongLines.complaints(about: Shapes.longLines(in: sources.everything)))
  }

  @Test("say beside each `@unchecked Sendable` why it is")
  func uncheckedSendable() {
    let findings = Shapes.uncheckedWithoutReason(in: sources.everything)
    expect(Shapes.knownUnchecked.complaints(about: findings))
  }
}

import Foundation
import Testing

@Suite("the documentation comments") struct DocumentationTests {
  @Test("are there, on every public declaration", arguments: ["RealmSwift", "LoopThread"])
  func publicDeclarations(module: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let tool = try Compiler().extractSymbols(of: module, to: folder)
    #expect(tool.status == 0, "\(tool.output)")
    let declared = try PublicSymbols.read(from: folder).filter {
      $0.isForUsers && $0.location != nil
    }
    #expect(declared.count > (module == "RealmSwift" ? 500 : 20))
    for symbol in declared where symbol.docComment == nil {
      Issue.record("\(symbol.place) has no documentation comment")
    }
  }
}

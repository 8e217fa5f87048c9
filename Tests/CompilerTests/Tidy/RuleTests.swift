import Testing

/// That the rules find what they are there to find.
@Suite("the rules for sources") struct RuleTests {
  private func file(_ text: String, at path: String = "Sources/Storage/Nodes/A.swift")
    -> SourceFile
  {
    SourceFile(path: path, text: text)
  }

  private func sources(_ library: [SourceFile], tests: [SourceFile] = []) -> Sources {
    Sources(library: library, tests: tests, programs: [])
  }

  @Test("read code, not comments and strings, but what is interpolated")
  func lexing() {
    let text = ##"""
      let a = "in \(b + "c \(d)") x" // e
      /* f /* g */ h */ let i = #"j \#(k) \(l)"#
      let m = """
        n "o" \(p)
        """
      """##
    let words = Lexer.tokens(of: text).filter(\.isWord).map { String($0.text) }
    #expect(words == ["let", "a", "b", "d", "let", "i", "k", "let", "m", "p"])
  }

  @Test("know declarations, their access, and where they end")
  func declarations() throws {
    let text = """
      public struct A<T> where T: Sendable {
        private(set) public var b: [Int] { get { 1 } }
        func c(_ d: () -> Void = { let e = 1 }) throws(F) -> G {
          var local = 2
          func inner() {}
        }
        init() {}
      }
      extension A.B {
        static func h() {}
      }
      extension I<J.K>: L.M where N == O.O {
        func r() {}
      }
      protocol P { func q() }
      """
    let found = file(text).declarations
    let names = found.map(\.qualifiedName)
    let expected = ["A", "A.b", "A.c", "A.inner", "A.init", "A", "B.h", "I", "I.r", "P", "P.q"]
    #expect(names == expected)
    #expect(
      found[0].access == .public && found[1].access == .public && found[2].access == .internal)
    #expect(found[2].line == 3 && found[2].lastLine == 6)
    #expect(found.last?.isInProtocol == true)
  }

  @Test("find an import of what lies above")
  func imports() {
    let files = [file("import ObjectStore\n"), file("import class Foundation.Bundle\n")]
    #expect(Layers.complaints(about: files).count == 2)
    #expect(Layers.complaints(about: [file("internal import Platform\n")]).isEmpty)
  }

  @Test("find the use of a type of a higher folder")
  func folders() {
    let order = FolderOrder(target: "Storage", folders: ["Nodes", "Slots"])
    let high = file("struct High {}\n", at: "Sources/Storage/Slots/High.swift")
    let low = file("struct Low { var a: High?; var b: Other.High? }\n")
    #expect(order.upwardUses(in: [high, low]).mapValues(\.count) == ["Nodes -> Slots": 1])
    #expect(order.upwardUses(in: [high]).isEmpty)
  }

  @Test("find banned calls")
  func calls() {
    let bad = file(
      "func a() { print(1); Thread.sleep(2); b.printing() }\nfunc print(_ c: Int) {}\n")
    let calls = BannedCalls(names: ["print", "sleep"], allowance: Allowance(rule: "", known: [:]))
    #expect(calls.complaints(about: [bad]).count == 1)
    #expect(calls.complaints(about: [file("func a() { output(1) }\n")]).isEmpty)
  }

  @Test("find what only tests use")
  func deadCode() {
    let library = file(
      "struct Used { func dead() {}; var alive = 1; override func next() {} }\n"
        + "let u = Used().alive\n"
    )
    let test = file("func t() { Used().dead() }\n", at: "Tests/StorageTests/T.swift")
    let found = DeadCode.findings(in: sources([library], tests: [test])).keys.sorted()
    #expect(found == ["Used.dead", "u"])
  }

  @Test("find long lines, functions and files, and unfinished work")
  func shapes() {
    let body = String(repeating: "  work()\n", count: 70)
    #expect(Shapes.complaints(about: [file("func a() {\n\(body)}\n")]).count == 1)
    #expect(Shapes.complaints(about: [file("func a() {\n\(body.dropFirst(18))}\n")]).isEmpty)
    #expect(Shapes.complaints(about: [file(String(repeating: "\n", count: 401))]).count == 1)
    #expect(Shapes.complaints(about: [file("// TO" + "DO: later\n")]).count == 1)
    let line = "//" + String(repeating: "x", count: 99) + "\n"
    #expect(Shapes.longLines(in: [file(line)]).keys.first == "Sources/Storage")
  }

  @Test("find an unchecked conformance without a reason")
  func unchecked() {
    let bad = file("final class A: @unchecked Sendable {\n  var a = 1\n}\n")
    let good = file("final class A: @unchecked Sendable {\n  // Sendable: constant.\n}\n")
    #expect(Shapes.uncheckedWithoutReason(in: [bad]).count == 1)
    #expect(Shapes.uncheckedWithoutReason(in: [good]).isEmpty)
  }

  @Test("let known numbers only sink")
  func allowances() {
    let allowance = Allowance(rule: "rule", known: ["a": 2])
    #expect(allowance.complaints(about: ["a": ["x", "y"]]).isEmpty)
    #expect(allowance.complaints(about: ["a": ["x", "y", "z"]]).count == 1)
    #expect(allowance.complaints(about: ["a": ["x"]]).count == 1)
    #expect(allowance.complaints(about: ["a": ["x", "y"], "b": ["z"]]).count == 1)
  }

  @Test("find names and calls that are not there")
  func names() {
    let names = CodeNames(sources([file("struct Node { func read() {} }\n")]))
    #expect(names.complaint(about: "Node.read") == nil)
    #expect(names.complaint(about: "Node.write") != nil)
    #expect(names.complaint(about: "Nodes") != nil)
    #expect(names.complaint(about: "Sources/Storage/None.swift") != nil)
    #expect(names.complaint(about: "docs/FORMAT.md") == nil)
    let heading = DocumentedWays.headings[0]
    let steps = (1...6).map { "\($0). `Node.\($0 == 6 ? "gone" : "read")`: a step" }
    let page = Page(path: "p", text: ([heading] + steps).joined(separator: "\n"))
    let complaints = DocumentedWays(page: page).complaints(names)
    #expect(complaints.contains { $0.contains("Node.gone") })
    #expect(complaints.count == 3)
  }
}

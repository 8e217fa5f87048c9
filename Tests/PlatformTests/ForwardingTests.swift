import Platform
import TestSupport
import Testing

/// Stand-ins hand on also what `Platform` would answer by itself.
@Suite struct ForwardingTests {
  private final class Timeless: ForwardingSystem {
    let real: any System = PosixSystem.shared
    var hasRealTime: Bool { false }
    func now() -> UInt64 { 42 }
    func coarseNow() -> UInt64 { 40 }
  }

  private final class Plain: ForwardingSystem {
    let real: any System = Timeless()
  }

  private final class PlainFile: ForwardingFile {
    let real: any SystemFile
    init(_ real: any SystemFile) { self.real = real }
  }

  private let directory = TemporaryDirectory()

  private func open() throws -> any SystemFile {
    try PosixSystem.shared.openFile(path: directory.file("x"), mode: .create)
  }

  @Test func `a stand-in's time is that of the system behind it`() {
    let standIn: any System = Plain()
    #expect(!standIn.hasRealTime)
    #expect(standIn.now() == 42)
    #expect(standIn.coarseNow() == 40)
  }

  @Test func `a stand-in for a deleted file has no links`() throws {
    let standIn: any SystemFile = PlainFile(try open())
    #expect(try standIn.linkCount() == 1)
    try PosixSystem.shared.removeFile(path: standIn.path)
    #expect(try standIn.linkCount() == 0)
  }

  @Test func `the file behind a stand-in waits for locks in its own way`() throws {
    let holder = try open()
    #expect(try holder.lock(byte: 0, kind: .exclusive, wait: false))
    let file = try open()
    let standIn: any SystemFile = PlainFile(file)
    let waits = try [file, standIn].map { waiting in
      try waiting.waitForLock(byte: 0, kind: .exclusive) { _ in
        Issue.record("called after it was cancelled")
      }
    }
    #expect(type(of: waits[0]) == type(of: waits[1]))
    for wait in waits { #expect(wait.cancel()) }
  }
}

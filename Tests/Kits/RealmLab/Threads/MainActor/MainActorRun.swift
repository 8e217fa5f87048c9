import Foundation
import Platform
import EngineLab
import RealmSwift
import TestSupport

/// What serves the main actor of a program.
public enum MainThreadKind: String, CaseIterable, Sendable {
  /// The main thread runs a `UVLoop`.
  case loop
  /// The main thread calls `dispatchMain()`.
  case dispatch
  /// The main thread runs Foundation's run loop.
  case runLoop
  /// `main` is asynchronous.
  case asyncMain
}

/// Starts a program, commits when it observes, and collects what it says.
public struct MainActorRun: Sendable {
  private let kind: MainThreadKind
  private let directory = TemporaryDirectory()

  public init(_ kind: MainThreadKind) { self.kind = kind }

  public func run() throws -> [String] {
    let path = directory.file("main.realm")
    let child =
      kind == .asyncMain
      ? try ChildProcess(program: "AsyncMainProgram", [path])
      : try ChildProcess(labRole: ["main-actor", path, kind.rawValue])
    var lines: [String] = []
    while lines.last != "end" {
      lines.append(try child.readLine())
      if lines.last!.hasPrefix("observes") { try commit(path) }
    }
    return lines
  }

  private func commit(_ path: String) throws {
    let realm = try Realm(configuration: LabRealm.configuration(path, .full))
    try realm.write { realm.create(LabEntry.self, value: ["transaction": 2]) }
  }
}

extension MainThreadKind {
  /// Runs the program on this process's main thread, served this way.
  func serve(_ path: String) {
    let program = Task { @MainActor in
      do { try await MainActorProgram(path: path).run() } catch { say("\(error)") }
    }
    switch self {
    case .loop:
      let loop = UVLoop()
      Task {
        await program.value
        loop.stop()
      }
      loop.run()
      say("end")
    case .dispatch:
      endProcess(after: program)
      dispatchMain()
    case .runLoop:
      endProcess(after: program)
      while RunLoop.main.run(mode: .default, before: .distantFuture) {}
    case .asyncMain:
      preconditionFailure("a program of its own")
    }
  }

  private func endProcess(after program: Task<Void, Never>) {
    Task {
      await program.value
      say("end")
      exit(0)
    }
  }
}

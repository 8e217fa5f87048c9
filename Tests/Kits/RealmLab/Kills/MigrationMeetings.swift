import EngineLab
import Foundation
import Glibc
import Platform
import RealmSwift
import Storage
import TestSupport

/// A migration while another process has the file open with the schema of before: one that reads
/// on, that is stopped, that opens the file in the midst of it, or that migrates as well.
public final class MigrationMeetings {
  private let isEncrypted: Bool
  private let directory = TemporaryDirectory()
  private var report = ScenarioReport()
  /// The file of a part, and how many rows it has.
  private var path = ""
  private var count = 0

  public init(isEncrypted: Bool) { self.isEncrypted = isEncrypted }

  public func run() throws -> ScenarioReport {
    let parts = [stoppedReader, openingInTheMidst, twoAtOnce, readerGoesOn]
    for (index, part) in parts.enumerated() {
      path = directory.file("\(index)-" + (isEncrypted ? RowFile.encryptedName : "plain.realm"))
      count = try RowFile.fill(path, megabytes: 1)
      try part()
      report.findings += try RowFile.findings(path)
    }
    return report
  }

  // MARK: What happens

  /// This process reads on with the old classes, and is told so when it writes.
  private func readerGoesOn() throws {
    let loop = UVLoop()
    defer { loop.close() }
    let realm = try Realm(configuration: RowFile.before(path))
    let rows = realm.objects(RowBefore.self)
    var tellings = 0
    let token = rows.observe { _ in tellings += 1 }
    try migrateElsewhere()
    // What the migration's commit wakes has its turn.
    run(loop)
    report.expect(tellings == 1, "told of \(tellings) versions")
    report.expect(rows.count == count && rows[7].amount == 21, "the old rows are other ones")
    expectMismatch("a write", "Unsupported schema changes were made by another") {
      try realm.write { rows[7].amount = 1 }
    }
    report.expect(!realm.isInWriteTransaction, "the write that was refused is still open")
    var failure: (any Error)?
    realm.writeAsync {
      rows[7].amount = 1
    } onComplete: { error in
      failure = error
      loop.stop()
    }
    within(60, "an asynchronous write") { loop.run() }
    expectMismatch("an asynchronous write", "Unsupported schema changes") {
      if let failure { throw failure }
    }
    expectMismatch("opening anew", "Provided schema version 0 is less than last set version 1.") {
      let path = path
      try onAnotherThread { _ = try Realm(configuration: RowFile.before(path)) }
    }
    report.expect(rows[7].amount == 21, "the old row has been written")
    token.invalidate()
  }

  /// Another process, which is stopped and so holds its version, does not hold the migration up.
  private func stoppedReader() throws {
    let child = try ChildProcess(labRole: ["hold-rows", path])
    let before = try child.ask("look")
    kill(child.number, SIGSTOP)
    try within(60, "a migration beside a process that is stopped") {
      try Realm.performMigration(for: RowFile.after(path))
    }
    try expectAfter()
    try fillUp()
    kill(child.number, SIGCONT)
    report.expect(try child.ask("look") == before, "the reader sees something else")
    let answer = try child.ask("write")
    report.expect(answer == "10", "the reader's write: \(answer)")
    report.expect(try child.ask("look") == before, "the reader sees something else")
    let reopened = try child.ask("open-again")
    report.expect(reopened == "10", "the reader's opening: \(reopened)")
    try expectAfter()
  }

  /// So that what the migration has freed is used again, but for what the reader has.
  private func fillUp() throws {
    let realm = try Realm(configuration: RowFile.after(path, .relaxed))
    for round in 0..<30 {
      try realm.write {
        for row in realm.objects(RowAfter.self) { row.amount += round == 29 ? -29 : 1 }
      }
    }
  }

  /// Who comes while the block runs gets the old file, and waits for its turn to write. When the
  /// process that migrates is killed there the file stays as it was.
  private func openingInTheMidst() throws {
    let child = try ChildProcess(labRole: ["migrate-on-command", path])
    report.expect(try child.readLine() == "in the block", "the block has not begun")
    try autoreleasepool {
      var readOnly = RowFile.before(path)
      readOnly.readOnly = true
      let rows = try Realm(configuration: readOnly).objects(RowBefore.self)
      report.expect(rows.count == count && rows[9].amount == 27, "read-only: other rows")
    }
    expectMismatch("opening to read only", "Provided schema version 1 does not equal last set") {
      var readOnly = RowFile.after(path)
      readOnly.readOnly = true
      _ = try Realm(configuration: readOnly)
    }
    let rows = try Realm(configuration: RowFile.before(path)).objects(RowBefore.self)
    report.expect(rows.count == count && rows[9].amount == 27, "old classes: other rows")
    child.kill()
    try rows.realm!.write { rows[9].amount = 5 }
    try rows.realm!.write { rows[9].amount = 27 }
    if let fault = try RowFile.faultBefore(path, count: count) { report.findings.append(fault) }
    report.findings += try RowFile.findings(path)
  }

  /// The second one finds that all is done.
  private func twoAtOnce() throws {
    let children = try (0..<2).map { _ in
      try ChildProcess(labRole: ["migrate-on-command", path])
    }
    // One has begun, and goes on; the other one waits for it.
    for child in children { child.send("on") }
    let answers = try children.map { child in
      var lines = [try child.readLine()]
      if lines[0] == "in the block" { lines.append(try child.readLine()) }
      return lines
    }
    report.expect(
      answers.sorted { $0.count < $1.count } == [["done"], ["in the block", "done"]],
      "two that migrate: \(answers)")
    try expectAfter()
  }

  // MARK: How it is looked at

  private func run(_ loop: UVLoop) {
    loop.schedule(after: .milliseconds(50)) { loop.stop() }
    loop.run()
  }

  private func expectAfter() throws {
    if let fault = try RowFile.faultAfter(path, count: count) { report.findings.append(fault) }
  }

  private func migrateElsewhere() throws {
    let child = try ChildProcess(labRole: ["migrate", path])
    _ = try child.readLine()
    _ = try child.readLine()
    child.kill()
  }

  private func expectMismatch(
    _ what: String, _ sentence: String, _ body: () throws -> Void
  ) {
    do {
      try body()
      report.findings.append("\(what) went well")
    } catch {
      let isMismatch = (error as? Realm.Error)?.code == .schemaMismatch
      report.expect(isMismatch && "\(error)".contains(sentence), "\(what): \(error)")
    }
  }
}

/// Calls `body` on a thread of its own, and waits for it.
private func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
  let thread = LoopThread()
  defer { thread.join() }
  try thread.performAndWait { Result { try body() } }.get()
}

/// Has the file open with the old classes, and does what it is told.
struct RowHolder {
  let path: String

  func run() throws {
    let realm = try Realm(configuration: RowFile.before(path))
    let rows = realm.objects(RowBefore.self)
    forEachCommand { words in
      switch words.text(0) {
      case "look":
        let sum: Int = rows.sum(of: \.amount)
        return "\(rows.count) \(sum) \(rows.filter("note == 'note 7'").count)"
      case "write": return Self.code { try realm.write { rows[0].amount = -1 } }
      default:
        let path = path
        return Self.code {
          try onAnotherThread { _ = try Realm(configuration: RowFile.before(path)) }
        }
      }
    }
  }

  /// That of the error, "none" without one.
  private static func code(_ body: () throws -> Void) -> String {
    do { try body() } catch { return "\((error as? Realm.Error)?.code.rawValue ?? -1)" }
    return "none"
  }
}

/// Migrates a file, and waits in the block for a line.
struct CommandedMigrator {
  let path: String

  func run() throws {
    var configuration = RowFile.after(path)
    let block = configuration.migrationBlock
    configuration.migrationBlock = { migration, version in
      say("in the block")
      _ = readLine()
      block?(migration, version)
    }
    try Realm.performMigration(for: configuration)
    say("done")
    _ = readLine()
    _ = readLine()
  }
}

import Glibc
import Platform
import TestSupport
import Testing

@testable import Coordination

@Suite struct ForkAndNamespaceTests {
  let database = Database()

  @Test func aForkedChildThatUsesTheFileIsStoppedWithAMessage() throws {
    let child = try database.process()
    try child.ask("open")
    child.send("fork")
    var isExplained = false
    var line = ""
    while !line.hasPrefix("child ended by signal") {
      line = try child.readLine()
      if line.contains("A realm opened before fork() was used in the child") { isExplained = true }
    }
    #expect(isExplained)
    #expect(try child.ask("newest") == "newest 1 10 100")
  }

  @Test func aForkedChildKeepsNoLocksOfItsDeadParent() throws {
    let lockFile = try database.open().lockFile
    let child = try database.process()
    try child.ask("open")
    try child.ask("pin")
    try child.ask("write")
    let answer = try child.ask("abandon")
    let grandchild = try #require(answer.split(separator: " ").last.flatMap { pid_t($0) })
    defer { Glibc.kill(grandchild, SIGKILL) }
    child.kill()
    try lockFile.lockWriter()
    lockFile.publish(published(2))
    #expect(lockFile.versionsInUse(.now) == [2])
    lockFile.close()
    #expect(try database.open().wasAlone)
  }

  /// Process numbers mean nothing across namespaces; both sides have to count on each other's
  /// bytes.
  @Test func processesInTwoNamespacesShareOneFile() throws {
    var prefixes = [["unshare", "-p", "-f", "--kill-child"]]
    prefixes.append(["unshare", "-U", "-r", "-p", "-f", "--kill-child"])
    let made = prefixes.lazy.compactMap { prefix in try? database.process(prefix: prefix) }
    guard let child = made.first else {
      return print("skipped: this user may not make process namespaces here")
    }
    let lockFile = try database.open().lockFile
    #expect(try child.ask("open") == "member")
    #expect(try child.ask("pin") == "pinned 1")
    lockFile.publish(published(2))
    #expect(lockFile.versionsInUse(.now) == [1, 2])
    #expect(lockFile.pins().first?.process == 1)
    #expect(try child.ask("write") == "writing")
    #expect(try !lockFile.tryLockWriter())
    child.kill()
    // The process outlives its parent in the other namespace for a moment: its lock is the event.
    try lockFile.lockWriter()
    let participant = LockFileLayout.firstParticipantByte + 1
    let observer = try PosixSystem.shared.openFile(path: database.lockPath, mode: .readWrite)
    _ = try observer.lock(byte: participant, kind: .exclusive, wait: true)
    observer.close()
    #expect(lockFile.versionsInUse(.now) == [2])
    lockFile.unlockWriter()
  }
}

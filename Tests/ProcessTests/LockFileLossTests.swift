import EngineLab
import Testing

@Suite(.serialized) struct LockFileLossTests {
  @Test func `deleting the lock-file of open processes loses no commit`() throws {
    let report = try LostLockFile.deletedWhileOpen()
    report.show()
    #expect(report.findings == [])
  }

  @Test func `deleting the lock-file while processes come and go loses no commit`() throws {
    let report = try LostLockFile.deletedInAStorm(seconds: 3, seed: 20_261_020)
    report.show()
    #expect(report.findings == [])
  }

  @Test func `processes of two namespaces write to one file`() throws {
    guard let report = try LostLockFile.twoNamespaces() else {
      return print("skipped: this user may not make process namespaces here")
    }
    report.show()
    #expect(report.findings == [])
  }

  @Test func `5,000 damaged lock-files at rest are of no consequence`() throws {
    let report = try DamagedLockFile.atRest(rounds: 5000, seed: 20_261_021)
    report.show()
    #expect(report.findings == [])
  }

  @Test func `damage to a lock-file in use ends in correct data or a clear error`() throws {
    let report = try DamagedLockFile.whileOpen(rounds: 500, seed: 20_261_022)
    report.show()
    #expect(report.findings == [])
  }
}

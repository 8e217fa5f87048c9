import TestSupport
import Testing

@Suite struct GuideProgramTests {
  @Test func aProgramAsUsersWriteItRunsToItsEnd() throws {
    let program = try ChildProcess(program: "GuideProgram", [])
    #expect(try program.readLine() == "done")
  }
}

import SyncLab
import Testing

@Suite("defects that are planted in the simulation") struct PlantedDefectTests {
  @Test("are found within a few seeds", arguments: PlantedBug.allCases)
  func found(bug: PlantedBug) {
    let findings = (UInt64(1)...200).lazy.compactMap {
      ConvergenceRun.run(seed: $0, bug: bug, hasHabits: false).finding
    }
    #expect(findings.first != nil)
  }
}

import Testing

@testable import Storage

@Suite("the pieces in which the end of a file is cut off") struct CutPaceTests {
  @Test("are as long as a step of compaction cuts where holes have been punched before")
  func punchedEnd() {
    var pace = CutPace()
    pace.note(nanoseconds: 300_000_000)
    #expect(pace.size == Compactor.cutSizeMax)
  }

  @Test("follow the time that each takes where holes cannot be punched")
  func slowFileSystem() {
    var pace = CutPace()
    pace.isSlow = true
    let first = pace.size
    #expect(first < Compactor.cutSizeMax)
    pace.note(nanoseconds: 5_000_000)
    #expect(pace.size == first / 2)
    pace.note(nanoseconds: 10_000)
    #expect(pace.size == first)
  }
}

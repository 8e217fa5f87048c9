import Testing

@testable import Storage

@Suite("the pieces in which the end of a file is cut off") struct CutPaceTests {
  @Test("are as long as a step of compaction cuts where holes have been punched before")
  func punchedEnd() {
    var pace = CutPace()
    pace.note(nanoseconds: 300_000_000)
    #expect(pace.size == Compactor.cutSizeMax)
  }

  @Test("become smaller while each takes long, down to an eighth of a megabyte")
  func slowFileSystem() {
    var pace = CutPace()
    pace.isSlow = true
    let first = pace.size
    pace.note(nanoseconds: 5_000_000)
    #expect(pace.size == first / 2)
    for _ in 0..<10 { pace.note(nanoseconds: 300_000_000) }
    #expect(pace.size == 128 << 10)
  }

  @Test("become as large again as they were, but not larger, while they take next to no time")
  func fastFileSystem() {
    var pace = CutPace()
    pace.isSlow = true
    let first = pace.size
    for _ in 0..<10 { pace.note(nanoseconds: 300_000_000) }
    for _ in 0..<10 { pace.note(nanoseconds: 10_000) }
    #expect(pace.size == first)
  }

  @Test("stay as they are in between")
  func steady() {
    var pace = CutPace()
    pace.isSlow = true
    let first = pace.size
    for _ in 0..<10 { pace.note(nanoseconds: 2_500_000) }
    #expect(pace.size == first)
  }
}

import Testing

@testable import Storage

@Suite("what compaction moves while it holds the writer role") struct HoldPaceTests {
  @Test("becomes less while each hold takes long, and never nothing")
  func slowDisk() {
    var pace = Compactor.movePace
    let first = pace.size
    pace.note(nanoseconds: 2_000_000)
    #expect(pace.size == first / 2)
    for _ in 0..<20 { pace.note(nanoseconds: 50_000_000) }
    #expect(pace.size == 8 << 10)
  }

  @Test("becomes as much again as it was, but no more, while the holds are short")
  func fastDisk() {
    var pace = Compactor.movePace
    let first = pace.size
    for _ in 0..<20 { pace.note(nanoseconds: 50_000_000) }
    for _ in 0..<20 { pace.note(nanoseconds: 100_000) }
    #expect(pace.size == first)
  }

  @Test("stays as it is where a hold is about half a millisecond")
  func steady() {
    var pace = Compactor.movePace
    pace.note(nanoseconds: 2_000_000)
    let size = pace.size
    for _ in 0..<20 { pace.note(nanoseconds: 400_000) }
    #expect(pace.size == size)
  }
}

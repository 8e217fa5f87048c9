import StorageLab
import Testing

@testable import Storage

@Suite struct ExtentSetTests {
  /// The same set as a flag for each unit of eight bytes.
  struct Model {
    var units = [Bool](repeating: false, count: 4096)

    func runs() -> [Extent] {
      var runs: [Extent] = []
      var start: Int?
      for (index, isFree) in (units + [false]).enumerated() {
        if isFree, start == nil { start = index }
        if !isFree, let begin = start {
          runs.append(Extent(offset: UInt64(begin) * 8, length: UInt64(index - begin) * 8))
          start = nil
        }
      }
      return runs
    }

    mutating func fill(_ extent: Extent, _ value: Bool) {
      for unit in Int(extent.offset / 8)..<Int(extent.end / 8) { units[unit] = value }
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `random insertions, takings and subtractions agree with a plain model`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var set = ExtentSet()
    var model = Model()
    for step in 0..<800 {
      let offset = random.below(4000)
      let length = 1 + random.below(20)
      let extent = Extent(
        offset: UInt64(offset) * 8, length: UInt64(min(length, 4096 - offset)) * 8)
      switch random.below(5) {
      case 0, 1:
        if set.bytes(in: extent) == 0 {
          set.insert(extent)
          model.fill(extent, true)
        }
      case 2:
        let expected = model.runs().first { $0.length >= extent.length }
        let taken = set.takeFirst(fitting: extent.length)
        #expect(taken?.offset == expected?.offset, "seed \(seed), step \(step)")
        if let taken { model.fill(taken, false) }
      case 3:
        let isWhole = model.runs().contains {
          $0.offset <= extent.offset && extent.end <= $0.end
        }
        #expect(set.take(exactly: extent) == isWhole, "seed \(seed), step \(step)")
        if isWhole { model.fill(extent, false) }
      default:
        set.subtract(extent)
        model.fill(extent, false)
      }
      var runs: [Extent] = []
      set.forEach { runs.append($0) }
      #expect(runs == model.runs(), "seed \(seed), step \(step)")
      #expect(set.count == runs.count)
      #expect(set.total == runs.reduce(0) { $0 + $1.length })
      #expect(set.longest == runs.map(\.length).max() ?? 0)
      if runs != model.runs() { return }
    }
  }

  @Test func `a set of many blocks finds, joins and splits as a small one does`() {
    var set = ExtentSet()
    for index in 0..<5000 { set.insert(Extent(offset: UInt64(index) * 32, length: 16)) }
    #expect(set.count == 5000)
    #expect(set.takeFirst(fitting: 17) == nil)
    for index in 0..<4999 where index % 2 == 0 {
      set.insert(Extent(offset: UInt64(index) * 32 + 16, length: 16))
    }
    #expect(set.count == 2500)
    #expect(set.takeFirst(fitting: 40)?.offset == 0)
    #expect(set.longest == 48)
  }
}

import Testing

@testable import SyncProtocol

@Suite("a table of an object's containers") struct ContainerTableTests {
  @Test("finds what each object in it declares", arguments: UInt64(1)...20)
  func declared(seed: UInt64) {
    print("seed \(seed)")
    var state = seed
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    func object() -> ContainerID {
      let time = next(5)
      return time == 0 ? .root : ContainerID(madeBy: Stamp(time: time, client: ClientID(1)))
    }
    var table = ContainerTable<Int>()
    var model: [ContainerID: Int] = [:]
    for step in 0..<200 {
      let id =
        next(3) == 0
        ? object() : ContainerID(declaredBy: NameID(UInt32(1 + next(4))), in: object())
      switch next(4) {
      case 0: #expect(table.removeValue(forKey: id) == model.removeValue(forKey: id))
      case 1 where model[id] != nil:
        table[id]! += 1
        model[id]! += 1
      default: (table[id], model[id]) = (step, step)
      }
      let owner = object()
      let expected = model.keys.filter { $0.isDeclared && $0.declarer == owner }
      #expect(Set(table.declared(in: owner)) == Set(expected))
      #expect(table == ContainerTable(model))
    }
  }
}

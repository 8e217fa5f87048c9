import RealmLab
import Testing

/// Random conditions: closures, strings and `#Predicate`s, with and without indexes, select what
/// plain Swift selects.
@Suite struct FilterModelTests {
  @Test(arguments: 0..<10) func randomConditionsSelectWhatSwiftSelects(part: Int) throws {
    let seed = part == 9 ? UInt64.random(in: 1 << 32...1 << 62) : UInt64(part + 1)
    var queries = RandomQueries()
    try queries.run(conditions: 500, seed: seed)
    #expect(queries.disagreements == [])
    #expect(queries.conditions == 500)
  }
}

import RealmSwift
import Testing

final class Gauge: Object {
  @Persisted var readings: List<Double>
  @Persisted var anything: List<AnyRealmValue>
  @Persisted var value: Double
}

/// Not-a-number is one value where values are told apart or put in order.
@Suite struct NotANumberTests {
  private let observatory = Observatory([Gauge.self])

  @Test func `is there once among distinct values, and first in order`() throws {
    let realm = try observatory.file.open()
    let gauge = try realm.write {
      let gauge = realm.create(Gauge.self)
      gauge.readings.append(objectsIn: [2, .nan, 2, .nan, -1])
      gauge.anything.append(objectsIn: [
        .double(.nan), .int(1), .string("a"), .float(.nan), .double(1), .none, .none,
      ])
      for value in [3, Double.nan, 3, .nan] { realm.create(Gauge.self, value: ["value": value]) }
      return gauge
    }
    #expect(gauge.readings.distinct().map { "\($0)" } == ["2.0", "nan", "-1.0"])
    #expect(gauge.readings.sorted().map { "\($0)" } == ["nan", "nan", "-1.0", "2.0", "2.0"])
    #expect(
      gauge.readings.sorted(ascending: false).distinct().map { "\($0)" } == ["2.0", "-1.0", "nan"])
    #expect(gauge.anything.distinct().count == 4)
    let all = realm.objects(Gauge.self)
    #expect(all.distinct(by: ["value"]).map { "\($0.value)" } == ["0.0", "3.0", "nan"])
    #expect(all.sectioned(by: \.value, ascending: true).allKeys.count == 3)
  }

  @Test func `is the same as before for an observer of sorted values`() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      try realm.write {
        realm.create(Gauge.self).readings.append(objectsIn: [2, .nan, 1])
      }
      box.realm = realm
      box.token = realm.objects(Gauge.self)[0].readings.sorted().observe {
        observatory.tell($0.text)
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { $0.objects(Gauge.self)[0].readings.append(3) }
    #expect(await observatory.next() == "[] [3] []")
    observatory.run { [box] _ in (box.token, box.realm) = (nil, nil) }
  }
}

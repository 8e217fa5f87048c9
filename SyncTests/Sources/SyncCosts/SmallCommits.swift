import Foundation
import RealmSwift

/// An object with one property of each kind that commits are measured of.
final class Sample: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var number = 0
  @Persisted var any: AnyRealmValue
  @Persisted var numbers: List<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var counts: Map<String, Int>
  @Persisted var part: SamplePart?
}

/// Belongs to a sample.
final class SamplePart: EmbeddedObject {
  @Persisted var count = 0
}

/// A commit that changes one thing, of a kind.
enum SmallCommit: String, CaseIterable {
  case create, property, any, append, element, member, key, embedded

  var title: String {
    switch self {
    case .create: "a new object"
    case .property: "a changed property"
    case .any: "a value of any kind"
    case .append: "an element at the end of a list"
    case .element: "an element that is replaced"
    case .member: "a new member of a set"
    case .key: "a value of a map"
    case .embedded: "a property of an embedded object"
    }
  }

  /// Objects to write to, each with something in its collections.
  static func fill(_ realm: Realm) throws -> [Sample] {
    try realm.write {
      for number in 0..<100 {
        let sample = Sample()
        sample.number = number
        sample.numbers.append(objectsIn: 0..<8)
        sample.part = SamplePart()
        for key in 0..<8 { sample.counts["key \(key)"] = key }
        realm.add(sample)
      }
    }
    return Array(realm.objects(Sample.self))
  }

  /// One commit.
  func write(_ step: Int, to samples: [Sample], in realm: Realm) throws {
    let sample = samples[step % samples.count]
    try realm.write {
      switch self {
      case .create: realm.add(Sample())
      case .property: sample.number = step
      case .any: sample.any = .int(step)
      case .append: sample.numbers.append(step)
      case .element: sample.numbers[step % 8] = step
      case .member: sample.words.insert("word \(step)")
      case .key: sample.counts["key \(step % 8)"] = step
      case .embedded: sample.part?.count = step
      }
    }
  }
}

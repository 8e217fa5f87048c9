import ObjectStore

// The library's value types as the store keeps them.

extension ObjectId {
  init(_ stored: ObjectIdBytes) {
    self.init(high: stored.head.bigEndian, low: stored.tail.bigEndian)
  }

  var stored: ObjectIdBytes {
    ObjectIdBytes(head: high.bigEndian, tail: low.bigEndian)
  }
}

extension Decimal128 {
  init(_ stored: DecimalBits) {
    self.init(high: stored.high, low: stored.low)
  }

  var stored: DecimalBits { DecimalBits(low: low, high: high) }
}

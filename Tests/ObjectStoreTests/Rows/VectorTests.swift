import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

@Suite struct RowsVectorTests {
  let store: ScratchStore
  let writer: NodeWriter

  init() throws {
    store = try ScratchStore()
    writer = NodeWriter(source: store.source)
  }

  @Test func integersGrowToTheWidthTheyNeed() throws {
    let steps: [(Int64, Int)] = [
      (0, 0), (1, 1), (-1, 8), (127, 8), (128, 16), (-32769, 32), (1 << 31, 64),
    ]
    for isNullable in [false, true] {
      let shape = ElementWriter.Shape(.integerVector, isNullable)
      var reference = NodeReference.none
      var model: [Int64] = []
      for (value, width) in steps {
        reference = try ElementWriter.setInteger(
          writer, reference, row: model.count, value, shape: shape)
        model.append(value)
        let vector = try ColumnVector(reference, of: .int, in: writer.source)
        #expect(vector.width == width)
        for (row, value) in model.enumerated() { #expect(vector.integer(row) == value) }
        #expect(vector.integer(model.count) == 0)
        #expect(vector.hasValue(model.count) == false)
      }
      let narrow = try ElementWriter.gather(
        writer, [VectorPiece(reference: reference, rows: 2..<4)], shape: shape)
      #expect(try ColumnVector(narrow, of: .int, in: writer.source).width == 8)
    }
  }

  @Test func bitsAreInsertedAndRemovedAnywhere() {
    var generator = SeededGenerator(seed: 5)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
    defer { unsafe memory.deallocate() }
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
    var model: [Bool] = []
    for _ in 0..<3000 {
      let grow = model.count < 5 || (model.count < 300 && Bool.random(using: &generator))
      if grow {
        let index = Int.random(in: 0...model.count, using: &generator)
        unsafe BitMath.insert(memory, index, count: model.count)
        model.insert(false, at: index)
        unsafe VectorMath.setBit(memory, index, true)
        model[index] = true
        let other = Int.random(in: 0..<model.count, using: &generator)
        unsafe VectorMath.setBit(memory, other, false)
        model[other] = false
      } else {
        let index = Int.random(in: 0..<model.count, using: &generator)
        unsafe BitMath.remove(memory, index, count: model.count)
        model.remove(at: index)
      }
      for (index, bit) in model.enumerated() where unsafe VectorMath.bit(memory, index) != bit {
        Issue.record("bit \(index) of \(model.count)")
        return
      }
      if unsafe VectorMath.bit(memory, model.count) { Issue.record("a bit beyond the count") }
    }
  }

  @Test func valuesAroundTheInlineLimitAndBeyondAChunkAreKept() throws {
    let lengths = [0, 1, 254, 255, 256, 4096, TreeLimits.blobChunkBytes, 40 << 20]
    for isNullable in [false, true] {
      var reference = NodeReference.none
      for (row, length) in lengths.enumerated() {
        let bytes = [UInt8](repeating: UInt8(row + 1), count: length)
        reference = try unsafe bytes.withUnsafeBytes {
          try unsafe ByteVectorWriter.set(writer, reference, row: row, $0, isNullable: isNullable)
        }
      }
      let vector = try ColumnVector(reference, of: .data, in: writer.source)
      #expect(vector.hasLargeValues)
      for (row, length) in lengths.enumerated() {
        let (count, same) = try unsafe vector.withBytes(row) { bytes in
          unsafe (bytes.count, bytes.allSatisfy { $0 == UInt8(row + 1) })
        }
        #expect(count == length && same)
      }
      for _ in lengths {
        reference = try ByteVectorWriter.removeRow(writer, reference, row: 0)
      }
      #expect(reference.isNone)
    }
  }

  /// Against arrays: rows set, inserted, removed and gathered across the borders of bitmap words.
  @Test(arguments: [false, true]) func byteVectorsAgreeWithArrays(_ isNullable: Bool) throws {
    var generator = SeededGenerator(seed: isNullable ? 11 : 12)
    var reference = NodeReference.none
    var model: [[UInt8]?] = []
    for step in 0..<2500 {
      let long = step % 50 == 0 ? 300 : Int.random(in: 0...40, using: &generator)
      var value: [UInt8]? = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: long)
      if isNullable, step % 7 == 0 { value = nil }
      let choice = Int.random(in: 0..<10, using: &generator)
      if model.isEmpty || (choice < 5 && model.count < 200) {
        let row = Bool.random(using: &generator) ? model.count : model.count / 2
        reference = try unsafe with(value) {
          try unsafe ByteVectorWriter.insertRow(
            writer, reference, row: row, $0, isNullable: isNullable)
        }
        model.insert(value, at: row)
      } else if choice < 8 {
        let row = Int.random(in: 0..<model.count, using: &generator)
        reference = try unsafe with(value) {
          try unsafe ByteVectorWriter.set(writer, reference, row: row, $0, isNullable: isNullable)
        }
        model[row] = value
      } else if choice == 8 {
        let row = Int.random(in: 0..<model.count, using: &generator)
        reference = try ByteVectorWriter.removeRow(writer, reference, row: row)
        model.remove(at: row)
      } else {
        let cut = Int.random(in: 0...model.count, using: &generator)
        let pieces = [cut..<model.count, 0..<cut].map {
          VectorPiece(reference: reference, rows: $0)
        }
        reference = try ByteVectorWriter.gather(writer, pieces, isNullable: isNullable)
        model = Array(model[cut...] + model[..<cut])
      }
      let vector = try ColumnVector(reference, of: .data, in: writer.source)
      for (row, value) in model.enumerated() {
        let same = try unsafe vector.withBytes(row) { unsafe $0.elementsEqual(value ?? []) }
        try #require(same && (!isNullable || vector.hasValue(row) == (value != nil)))
      }
    }
  }

  private func with(
    _ value: [UInt8]?, _ body: (UnsafeRawBufferPointer?) throws -> NodeReference
  ) rethrows -> NodeReference {
    guard let value else { return try body(nil) }
    return try unsafe value.withUnsafeBytes(body)
  }

  @Test func doublesAreIndexedInTheirOrder() {
    let values = [
      -Double.infinity, -1e300, -2, -1, -Double.leastNonzeroMagnitude, 0,
      Double.leastNonzeroMagnitude, 1, 2, 1e300, .infinity,
    ]
    let keys = values.map(IndexValue.ordered)
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == keys.count)
    #expect(IndexValue.ordered(-0.0) == IndexValue.ordered(0))
  }

  @Test func anyValuesAreEncodedAndDecoded() {
    let values: [StoredValue] = [
      .null, .int(.min), .bool(true), .float(1.5), .double(-0.5), .string(""), .string("a"),
      .data([]), .data([1, 2]), .date(3), .objectId(ObjectIdBytes(head: .max, tail: 1)),
      .uuid(UUIDBytes(head: 1, tail: .max)), .decimal128(DecimalBits(low: 1, high: 2)),
      .link(TableKey(rawValue: 5), ObjectKey(rawValue: 1 << 40)),
    ]
    for value in values {
      let bytes = ValueCodec.encode(value)
      #expect(unsafe bytes.withUnsafeBytes { unsafe ValueCodec.decode($0) } == value)
      for length in bytes.indices {  // cut short, it must not be read beyond its end
        _ = unsafe bytes[..<length].withUnsafeBytes { unsafe ValueCodec.decode($0) }
      }
    }
  }
}

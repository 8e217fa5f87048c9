/// What tells the values apart in the encoding. The numbers are part of the protocol.
private enum ValueTag: UInt8 {
  case absent = 0
  case null = 1
  case no = 2
  case yes = 3
  case int = 4
  case float = 5
  case double = 6
  case string = 7
  case data = 8
  case date = 9
  case decimal = 10
  case objectID = 11
  case uuid = 12
  case link = 13
  case object = 14
  case list = 15
  case set = 16
  case map = 17
}

extension ChangeWriter {
  private mutating func tag(_ tag: ValueTag) { body.byte(tag.rawValue) }

  mutating func value(_ value: CellValue) {
    switch value {
    case .absent: tag(.absent)
    case .null: tag(.null)
    case .bool(let truth): tag(truth ? .yes : .no)
    case .int(let number):
      tag(.int)
      body.signed(number)
    case .float(let bits):
      tag(.float)
      body.fixed32(bits)
    case .double(let bits):
      tag(.double)
      body.fixed64(bits)
    case .string(let text):
      tag(.string)
      body.text(text)
    case .data(let bytes):
      tag(.data)
      body.data(bytes)
    case .date(let seconds, let nanoseconds):
      tag(.date)
      body.signed(seconds)
      body.fixed32(nanoseconds)
    case .decimal(let high, let low):
      tag(.decimal)
      body.fixed64(high)
      body.fixed64(low)
    case .objectID(let high, let low):
      tag(.objectID)
      body.fixed64(high)
      body.fixed32(low)
    case .uuid(let high, let low):
      tag(.uuid)
      body.fixed64(high)
      body.fixed64(low)
    case .link(let target):
      tag(.link)
      object(target)
    case .object(let type):
      tag(.object)
      name(type)
    case .list: tag(.list)
    case .set: tag(.set)
    case .map: tag(.map)
    }
  }
}

extension ChangeReader {
  mutating func value() throws(WireError) -> CellValue {
    let byte = try body.byte()
    guard let tag = ValueTag(rawValue: byte) else { throw .unknownKind(byte) }
    switch tag {
    case .absent: return .absent
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int: return .int(try body.signed())
    case .float: return .float(try body.fixed32())
    case .double: return .double(try body.fixed64())
    case .string: return .string(try body.text(upTo: Limits.valueBytes))
    case .data: return .data(try body.data(upTo: Limits.valueBytes))
    case .date:
      let seconds = try body.signed()
      let nanoseconds = try body.fixed32()
      guard nanoseconds < 1_000_000_000 else { throw .numberOutOfRange }
      return .date(seconds, nanoseconds)
    case .decimal: return .decimal(try body.fixed64(), try body.fixed64())
    case .objectID: return .objectID(try body.fixed64(), try body.fixed32())
    case .uuid: return .uuid(try body.fixed64(), try body.fixed64())
    case .link: return .link(try object())
    case .object: return .object(try name())
    case .list: return .list
    case .set: return .set
    case .map: return .map
    }
  }
}

extension ChangeWriter {
  mutating func kind(_ kind: ContainerKind) {
    switch kind {
    case .object(let type):
      body.byte(0)
      name(type)
    case .list: body.byte(1)
    case .set: body.byte(2)
    case .map: body.byte(3)
    }
  }
}

extension ChangeReader {
  mutating func kind() throws(WireError) -> ContainerKind {
    switch try body.byte() {
    case 0: return .object(try name())
    case 1: return .list
    case 2: return .set
    case 3: return .map
    case let byte: throw .unknownKind(byte)
    }
  }
}

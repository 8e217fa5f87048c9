import Foundation

/// Reads a package index: paragraphs of `Field: value` lines with empty lines in between, as
/// `apt-cache dumpavail` prints it.
///
/// A sequence that parses as it goes, so that an importer can stop and go on anywhere.
public struct PackageIndexReader: Sequence, Sendable {
  private let text: Data

  public init(contentsOf file: URL) throws {
    text = try Data(contentsOf: file, options: .alwaysMapped)
  }

  public init(text: String) {
    self.text = Data(text.utf8)
  }

  public func makeIterator() -> Iterator { Iterator(text: text) }

  public struct Iterator: IteratorProtocol {
    private let text: Data
    private var position: Int

    init(text: Data) {
      self.text = text
      position = text.startIndex
    }

    public mutating func next() -> IndexedPackage? {
      text.withUnsafeBytes { bytes in
        var scanner = ParagraphScanner(bytes: bytes, position: position)
        defer { position = scanner.position }
        return scanner.next()
      }
    }
  }
}

/// Walks over lines; fields that nobody asks for are skipped without making strings.
private struct ParagraphScanner {
  let bytes: UnsafeRawBufferPointer
  var position: Int

  mutating func next() -> IndexedPackage? {
    var package = IndexedPackage()
    while let line = nextLine() {
      if line.isEmpty {
        if !package.name.isEmpty { return package }
        continue
      }
      take(line, into: &package)
    }
    return package.name.isEmpty ? nil : package
  }

  private mutating func nextLine() -> UnsafeRawBufferPointer.SubSequence? {
    guard position < bytes.count else { return nil }
    let start = position
    let end = lineEnd(from: start)
    position = end + 1
    return bytes[start..<end]
  }

  private func lineEnd(from start: Int) -> Int {
    guard let base = bytes.baseAddress,
      let found = memchr(base + start, 0x0A, bytes.count - start)
    else { return bytes.count }
    return UnsafeRawPointer(found) - base
  }

  private func take(_ line: Slice<UnsafeRawBufferPointer>, into package: inout IndexedPackage) {
    // A line that starts with a space goes on with the field before; none that we read does.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.first != UInt8(ascii: " ")
    else { return }
    let value = text(line[(colon + 1)...])
    switch line[..<colon] {
    case "Package": package.name = value()
    case "Version": package.version = value()
    case "Architecture": package.architecture = value()
    case "Section": package.section = value()
    case "Description": package.summary = value()
    case "Size": package.size = Int(value()) ?? 0
    case "Installed-Size": package.installedSize = Int(value()) ?? 0
    case "Depends", "Pre-Depends":
      for name in dependencyNames(value()) where !package.dependencies.contains(name) {
        package.dependencies.append(name)
      }
    default: break
    }
  }

  private func text(_ slice: Slice<UnsafeRawBufferPointer>) -> () -> String {
    { String(decoding: slice.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) }
  }
}

private func ~= (name: StaticString, field: Slice<UnsafeRawBufferPointer>) -> Bool {
  field.count == name.utf8CodeUnitCount
    && memcmp(field.base.baseAddress! + field.startIndex, name.utf8Start, field.count) == 0
}

/// The names in `a (>= 1), b:any | c <!nocheck>`, in order; without versions and architectures.
func dependencyNames(_ value: String) -> [String] {
  value.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "|") }.compactMap { term in
    let name = term.drop { $0 == UInt8(ascii: " ") }.prefix { byte in
      byte != UInt8(ascii: " ") && byte != UInt8(ascii: ":") && byte != UInt8(ascii: "(")
    }
    return name.isEmpty ? nil : String(Substring(name))
  }
}

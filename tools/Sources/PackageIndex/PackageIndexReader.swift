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
      // A slice's indices would not be the places in its span.
      self.text = text.startIndex == 0 ? text : Data(text)
      position = 0
    }

    public mutating func next() -> IndexedPackage? {
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

    private mutating func nextLine() -> Range<Int>? {
      guard position < text.count else { return nil }
      let start = position
      let end = place(of: UInt8(ascii: "\n"), in: start..<text.count) ?? text.count
      position = end + 1
      return start..<end
    }

    private func place(of byte: UInt8, in range: Range<Int>) -> Int? {
      let bytes = text.span
      return range.first { bytes[$0] == byte }
    }

    /// Fields that nobody asks for are skipped without making strings.
    private func take(_ line: Range<Int>, into package: inout IndexedPackage) {
      // A line that starts with a space goes on with the field before; none that we read does.
      guard text.span[line.lowerBound] != UInt8(ascii: " "),
        let colon = place(of: UInt8(ascii: ":"), in: line),
        let field = Field(text.span.extracting(line.lowerBound..<colon))
      else { return }
      let value = string(of: (colon + 1)..<line.upperBound)
      switch field {
      case .name: package.name = value
      case .version: package.version = value
      case .architecture: package.architecture = value
      case .section: package.section = value
      case .summary: package.summary = value
      case .size: package.size = Int(value) ?? 0
      case .installedSize: package.installedSize = Int(value) ?? 0
      case .depends, .preDepends:
        for name in dependencyNames(value) where !package.dependencies.contains(name) {
          package.dependencies.append(name)
        }
      }
    }

    private func string(of range: Range<Int>) -> String {
      String(decoding: text[range].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }
  }
}

/// The fields that are read.
private enum Field: String, CaseIterable {
  case name = "Package"
  case version = "Version"
  case architecture = "Architecture"
  case section = "Section"
  case summary = "Description"
  case size = "Size"
  case installedSize = "Installed-Size"
  case depends = "Depends"
  case preDepends = "Pre-Depends"

  private static let names = allCases.map { (field: $0, bytes: Array($0.rawValue.utf8)) }

  init?(_ name: Span<UInt8>) {
    let known = Self.names.first { field in
      field.bytes.count == name.count && name.indices.allSatisfy { field.bytes[$0] == name[$0] }
    }
    guard let known else { return nil }
    self = known.field
  }
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

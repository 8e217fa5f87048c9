import Foundation

/// Whether what pages name is there.
struct CodeNames {
  private let checkout = Checkout()
  private let types: Set<String>
  /// `Type.member` of all declarations; of enumerations without their cases.
  private let members: Set<String>
  private let words: [String: Set<Substring>]
  private let fileNames: Set<String>

  /// Types that are not the project's.
  private static let known: Set<String> = [
    "Bool", "Codable", "Data", "Date", "Decimal", "DispatchQueue", "Double", "Float", "Foundation",
    "Glibc", "IndexSet", "Int", "Int16", "Int32", "Int64", "Int8", "JSONDecoder", "JSONEncoder",
    "MainActor", "Mirror", "NSError", "NSPredicate", "Observation", "OpenCombine", "Predicate",
    "Self", "Sendable", "String", "Swift", "Task", "UInt16", "UInt32", "UInt64", "UInt8", "URL",
    "UUID", "CancellationError", "EncodingError", "AsyncStream", "AsyncSequence", "Dispatch",
    "Synchronization", "Mutex", "Atomic", "Error", "Hasher", "NSCoding", "ProcessInfo",
  ]

  /// What pages name although it is not here: in a user's package, or still to come.
  private static let elsewhere: Set<String> = ["Sources/shelf/main.swift", "Map"]

  init(_ sources: Sources) {
    var types: Set<String> = []
    var members: Set<String> = []
    var words: [String: Set<Substring>] = [:]
    for file in sources.everything {
      let own = Set(file.tokens.lazy.filter(\.isWord).map(\.text))
      for declaration in file.declarations {
        if declaration.isType || declaration.isExtension {
          types.insert(String(declaration.name))
          words[String(declaration.name), default: []].formUnion(own)
        }
        if let scope = declaration.scopes.last { members.insert("\(scope).\(declaration.name)") }
      }
    }
    self.types = types
    self.members = members
    self.words = words
    fileNames = Set(
      ["Sources", "Tests", "tools", "Benchmarks", "docs"].flatMap { folder in
        Checkout().paths(in: folder, ending: "").map { ($0 as NSString).lastPathComponent }
      } + ["Package.swift", "README.md", "CONTRIBUTING.md", "LICENSE"])
  }

  /// What is wrong with the name; nil if it is real, or is no name of the checkout's at all.
  func complaint(about name: String) -> String? {
    if Self.elsewhere.contains(name) { return nil }
    if isPath(name) {
      return pathExists(name) ? nil : "there is no \(name)"
    }
    if ["swift", "md", "awk", "patch", "sh"].contains((name as NSString).pathExtension),
      !name.contains(" "), !name.contains("*")
    {
      return fileNames.contains((name as NSString).lastPathComponent) ? nil : "there is no \(name)"
    }
    return complaintAboutType(name)
  }

  private func isPath(_ name: String) -> Bool {
    guard let first = name.split(separator: "/").first, name.contains("/"), !name.contains(" "),
      !name.contains("*"), !name.contains("{")
    else { return false }
    return ["Sources", "Tests", "tools", "Benchmarks", "docs"].contains(first)
      || Layers.imports.keys.contains(String(first))
  }

  private func pathExists(_ name: String) -> Bool {
    checkout.exists(name) || checkout.exists("Sources/\(name)")
  }

  private func complaintAboutType(_ name: String) -> String? {
    let bare = name.prefix { $0 != "(" && $0 != "<" }
    guard let first = bare.first, first.isUppercase, bare.contains(where: \.isLowercase),
      bare.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }),
      !bare.hasSuffix(".")
    else { return nil }
    let parts = bare.split(separator: ".").map(String.init)
    guard !Self.known.contains(parts[0]) else { return nil }
    guard
      types.contains(parts[0]) || checkout.exists("Sources/\(parts[0])")
        || checkout.paths(in: "Tests", ending: "").contains(where: { $0.hasSuffix("/\(parts[0])") })
    else { return "there is no type \(parts[0])" }
    for (scope, member) in zip(parts, parts.dropFirst()) where !has(member, in: scope) {
      return "\(scope) has no \(member)"
    }
    return nil
  }

  /// Whether the type declares the member; cases of enumerations count by their name.
  func has(_ member: String, in type: String) -> Bool {
    members.contains("\(type).\(member)") || words[type]?.contains(Substring(member)) == true
  }

  /// Whether the library declares exactly this, `Type.member`.
  func declares(_ call: String) -> Bool { members.contains(call) }
}

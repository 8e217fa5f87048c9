/// Something that Swift source declares, found by simple lexing.
struct Declaration {
  enum Access: Int, Comparable {
    case `private`, `internal`, `package`, `public`

    static func < (a: Access, b: Access) -> Bool { a.rawValue < b.rawValue }
  }

  let keyword: Substring
  let name: Substring
  /// What it says of itself; of what stands in an extension, the extension's.
  let access: Access
  let isOverride: Bool
  /// Names of the types that it stands in, outermost first.
  let scopes: [Substring]
  let isInProtocol: Bool
  let line: Int
  /// The last line of its body; `line` without one.
  var lastLine: Int

  var isType: Bool { DeclarationReader.typeKeywords.contains(keyword) }
  var isExtension: Bool { keyword == "extension" }

  /// `Type.member`, or the name alone.
  var qualifiedName: String { (scopes + [name]).joined(separator: ".") }
}

/// Finds declarations outside of function bodies.
struct DeclarationReader {
  static let typeKeywords: Set<Substring> = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]

  private static let modifiers: [Substring: Declaration.Access?] = [
    "public": .public, "open": .public, "package": .package, "internal": .internal,
    "private": .private, "fileprivate": .private, "static": nil, "final": nil, "override": nil,
    "mutating": nil, "nonmutating": nil, "nonisolated": nil, "indirect": nil, "lazy": nil,
    "weak": nil, "unowned": nil, "required": nil, "convenience": nil, "consuming": nil,
    "borrowing": nil, "isolated": nil, "unsafe": nil, "set": nil, "prefix": nil, "infix": nil,
    "postfix": nil,
  ]

  private static let closers: [Substring: Substring] = ["(": ")", "[": "]"]

  private enum Scope {
    case type(name: Substring, access: Declaration.Access, isProtocol: Bool, index: Int)
    case function(index: Int)
    case code
  }

  private let tokens: [Token]
  private var position = 0
  private var scopes: [Scope] = []
  private var declarations: [Declaration] = []
  /// Modifiers read since the last other token.
  private var access: Declaration.Access?
  private var isOverride = false
  /// `class` alone is a modifier where `func`, `var` and the like follow.
  private var modifierLine: Int?

  private init(_ tokens: [Token]) { self.tokens = tokens }

  static func declarations(in tokens: [Token]) -> [Declaration] {
    var reader = DeclarationReader(tokens)
    while reader.position < tokens.count { reader.step() }
    return reader.declarations
  }

  private var isInCode: Bool {
    switch scopes.last {
    case .code, .function: true
    default: false
    }
  }

  private func text(_ index: Int) -> Substring? {
    index >= 0 && index < tokens.count ? tokens[index].text : nil
  }

  private mutating func step() {
    let token = tokens[position]
    switch token.text {
    case "@":
      position += 2
      skipGroup()
    case "{":
      scopes.append(.code)
      next()
    case "}":
      close(token.line)
      next()
    case "func", "init", "subscript", "deinit": function(token)
    case "struct", "enum", "protocol", "actor", "extension": type(token)
    case "class" where !isClassModifier: type(token)
    case "let", "var", "typealias", "associatedtype": value(token)
    default: modifier(token)
    }
  }

  private var isClassModifier: Bool {
    guard let following = text(position + 1) else { return true }
    return ["func", "var", "subscript", "final", "override", "{", ",", ":"].contains(following)
  }

  private mutating func modifier(_ token: Token) {
    guard let access = Self.modifiers[token.text] ?? (token.text == "class" ? .some(nil) : nil),
      text(position - 1) != "."
    else { return next() }
    modifierLine = modifierLine ?? token.line
    position += 1
    if token.text == "override" { isOverride = true }
    // What may be set is no concern here: `private(set) public` is public.
    guard text(position) != "(" else { return skipGroup() }
    if let access { self.access = access }
  }

  /// Forgets modifiers and goes on.
  private mutating func next() {
    access = nil
    isOverride = false
    modifierLine = nil
    position += 1
  }

  /// Goes behind a group in brackets, if one begins here.
  private mutating func skipGroup() {
    guard let opener = text(position), Self.closers[opener] != nil else { return }
    var depth = 0
    while let text = text(position) {
      if Self.closers[text] != nil { depth += 1 }
      if text == ")" || text == "]" { depth -= 1 }
      position += 1
      if depth == 0 { return }
    }
  }

  private mutating func close(_ line: Int) {
    switch scopes.popLast() {
    case .type(_, _, _, let index), .function(let index): declarations[index].lastLine = line
    default: break
    }
  }

  private mutating func declare(_ name: Substring, _ token: Token) {
    var names: [Substring] = []
    var inherited: Declaration.Access = .internal
    var isInProtocol = false
    for case .type(let name, let access, let isProtocol, _) in scopes {
      names.append(name)
      inherited = access
      isInProtocol = isProtocol
    }
    declarations.append(
      Declaration(
        keyword: token.text, name: name, access: access ?? inherited, isOverride: isOverride,
        scopes: names, isInProtocol: isInProtocol, line: modifierLine ?? token.line,
        lastLine: token.line))
  }

  private mutating func type(_ token: Token) {
    guard text(position - 1) != ".", let name = text(position + 1), tokens[position + 1].isWord
    else { return next() }
    guard !isInCode || token.text != "extension" else { return next() }
    declare(name, token)
    let isProtocol = token.text == "protocol"
    // What stands in a type is internal unless it says more; in an extension or a protocol it is
    // as they are.
    let inner: Declaration.Access =
      token.text == "extension" || isProtocol ? access ?? .internal : .internal
    let index = declarations.count - 1
    var full = name
    var isInName = token.text == "extension"
    while let text = text(position), text != "{" {
      // Dots in arguments, conformances and conditions are of other types.
      if ["<", ":", "where"].contains(text) { isInName = false }
      if text == ".", isInName, let part = self.text(position + 1) { full = part }
      position += 1
    }
    next()
    scopes.append(.type(name: full, access: inner, isProtocol: isProtocol, index: index))
  }

  private mutating func function(_ token: Token) {
    let isCall = text(position - 1) == "." || (isInCode && token.text != "func")
    guard !isCall, let following = text(position + 1) else { return next() }
    let isNamed = token.text == "func"
    declare(isNamed ? following : token.text, token)
    let index = declarations.count - 1
    let isInProtocol = declarations[index].isInProtocol
    next()
    if isNamed { position += 1 }
    guard !isInProtocol || token.text == "subscript" else { return }
    while let text = text(position), text != "{" {
      if Self.closers[text] != nil { skipGroup() } else { position += 1 }
    }
    position += 1
    scopes.append(.function(index: index))
  }

  private mutating func value(_ token: Token) {
    guard !isInCode, text(position - 1) != ".", let name = text(position + 1),
      tokens[position + 1].isWord
    else { return next() }
    declare(name, token)
    next()
    position += 1
  }
}

#if Sync
  /// Where a server is: the parts of its URL.
  public struct Endpoint: Hashable, Sendable {
    /// Whether connections are encrypted.
    public let isSecure: Bool
    /// The name or the address of the machine.
    public let host: String
    /// The port.
    public let port: Int
    /// What comes before every path, without a slash at its end.
    public let prefix: String

    /// Reads a URL that begins with `http`, `https`, `ws` or `wss`; nil if it is none.
    public init?(_ url: String) {
      guard let colon = url.range(of: "://") else { return nil }
      switch url[..<colon.lowerBound].lowercased() {
      case "http", "ws": isSecure = false
      case "https", "wss": isSecure = true
      default: return nil
      }
      let rest = url[colon.upperBound...]
      let slash = rest.firstIndex(of: "/") ?? rest.endIndex
      var path = rest[slash...]
      while path.hasSuffix("/") { path.removeLast() }
      prefix = String(path)
      var name = rest[..<slash]
      var port = isSecure ? 443 : 80
      let afterBracket = name.lastIndex(of: "]") ?? name.startIndex
      if let mark = name[afterBracket...].lastIndex(of: ":") {
        guard let number = Int(name[name.index(after: mark)...]), (1...65_535).contains(number)
        else { return nil }
        port = number
        name = name[..<mark]
      }
      if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
      guard !name.isEmpty else { return nil }
      self.port = port
      host = String(name)
    }

    /// What the header `Host` says.
    var authority: String {
      let name = host.contains(":") ? "[\(host)]" : host
      return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
  }

  extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? {
      var start = startIndex
      while start < endIndex {
        if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
        start = index(after: start)
      }
      return nil
    }
  }
#endif

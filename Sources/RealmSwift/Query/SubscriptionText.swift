#if Sync
  import Foundation

  /// Queries as the server is sent them: predicates without arguments.
  enum SubscriptionText {
    /// A condition as a predicate.
    static func text(of condition: PredicateNode) -> String {
      let (format, arguments) = PredicateFormatter.format(condition)
      return text(format, arguments)
    }

    /// The predicate with its arguments in it.
    static func text(_ format: String, _ arguments: [Any]) -> String {
      var text = ""
      var rest = arguments[...]
      var quote: Character?
      var characters = format[...]
      while let character = characters.popFirst() {
        if let open = quote {
          text.append(character)
          if character == "\\", let next = characters.popFirst() { text.append(next) }
          if character == open { quote = nil }
        } else if character == "%", let kind = characters.first, "@Kdifl".contains(kind) {
          characters.removeFirst()
          while kind != "@", kind != "K", let more = characters.first, "ldfu".contains(more) {
            characters.removeFirst()
          }
          guard let argument = rest.popFirst() else {
            throwRealmException("A predicate has more placeholders than arguments: \(format)")
          }
          text += kind == "K" ? "\(argument)" : literal(argument)
        } else {
          if character == "\"" || character == "'" { quote = character }
          text.append(character)
        }
      }
      return text
    }

    private static func literal(_ value: Any) -> String {
      switch value {
      case is NSNull: return "nil"
      case let value as Bool where type(of: value) == Bool.self: return value ? "true" : "false"
      case let value as String: return quoted(value)
      case let value as ObjectId: return "oid(\(value.stringValue))"
      case let value as UUID: return "uuid(\(value.uuidString))"
      case let value as Date:
        let seconds = value.timeIntervalSince1970.rounded(.down)
        let rest = (value.timeIntervalSince1970 - seconds) * 1e9
        return "T\(Int64(seconds)):\(Int64(rest.rounded()))"
      case let value as Data: return "B64\"\(value.base64EncodedString())\""
      case let values as [Any]: return "{" + values.map(literal).joined(separator: ", ") + "}"
      default: return "\(value)"
      }
    }

    private static func quoted(_ text: String) -> String {
      var quoted = "\""
      for character in text {
        if character == "\"" || character == "\\" { quoted.append("\\") }
        quoted.append(character)
      }
      return quoted + "\""
    }
  }
#endif

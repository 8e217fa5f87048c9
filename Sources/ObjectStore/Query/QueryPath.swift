/// The way from an object to values of its own or of objects related to it, by names.
///
/// No steps at all stand for the object itself (or, in a list of scalars, the element itself).
public struct QueryPath: Hashable, Sendable, ExpressibleByArrayLiteral,
  ExpressibleByStringLiteral
{
  /// One step of the way.
  public enum Step: Hashable, Sendable {
    /// A property. Passing through a list means "any of its elements".
    case property(String)
    /// The objects of that class which link here through that property.
    case backlinks(className: String, property: String)
    /// The objects of all classes which link here, to be counted: the last step.
    case links
    /// One element of a list, or the value of one key of a map; null if it is not there.
    case element(property: String, Element)
    /// The keys of a map.
    case keys(property: String)
    /// One element of the list or map that the value of any kind before it is, or nil for any of
    /// them. An element that is not there, or not of such a value, is null. Only such steps follow.
    case inside(Element?)
  }

  /// Which element of a collection.
  public enum Element: Hashable, Sendable {
    case key(String)
    case index(Int)
    case first, last
  }

  public var steps: [Step]

  public init(_ steps: [Step]) { self.steps = steps }

  public init(arrayLiteral elements: Step...) { steps = elements }

  public init(stringLiteral dotted: String) { self.init(dotted) }

  /// A dotted path of property names, such as `owner.name`. The empty path is the object itself.
  public init(_ dotted: String) {
    steps = dotted.split(separator: ".").map { .property(String($0)) }
  }

  /// The path as the user wrote it, for messages.
  public var description: String {
    let dotted = steps.reduce(into: "") { text, step in
      switch step {
      case .property(let name): text += ".\(name)"
      case .backlinks(let className, let property): text += ".@links.\(className).\(property)"
      case .links: text += ".@links"
      case .element(let name, let element): text += ".\(name)[\(element.text)]"
      case .keys(let name): text += ".\(name).@keys"
      case .inside(let element): text += "[\(element?.text ?? "*")]"
      }
    }
    return dotted.first == "." ? String(dotted.dropFirst()) : dotted
  }
}

extension QueryPath.Element {
  /// What stands between the brackets.
  fileprivate var text: String {
    switch self {
    case .key(let key): "'\(key)'"
    case .index(let index): "\(index)"
    case .first: "FIRST"
    case .last: "LAST"
    }
  }
}

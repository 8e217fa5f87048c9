#if Sync
  public import Foundation
  import SyncProtocol

  /// Whether what subscriptions select is in the file.
  public enum SyncSubscriptionState: Equatable {
    /// It is.
    case complete
    /// The server could not take a query.
    case error(any Error)
    /// Not all of it has come.
    case pending
    /// The set was changed since this was read.
    case superseded

    /// The same state; errors by their description.
    public static func == (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.complete, .complete), (.pending, .pending), (.superseded, .superseded): true
      case (.error(let left), .error(let right)):
        left.localizedDescription == right.localizedDescription
      default: false
      }
    }
  }

  /// A query whose objects are to be in the file, and its name if it has one.
  public struct SyncSubscription: Sendable {
    /// What a subscription is.
    struct Content: Hashable, Sendable {
      var name: String?
      var type: String
      var query: String
      var createdAt: Date
      var updatedAt: Date
    }

    let content: Content
    private let set: SyncSubscriptionSet

    init(_ content: Content, in set: SyncSubscriptionSet) {
      self.content = content
      self.set = set
    }

    /// Its name.
    public var name: String? { content.name }
    /// When it was made.
    public var createdAt: Date { content.createdAt }
    /// When its query was changed last.
    public var updatedAt: Date { content.updatedAt }

    /// Gives it another query, within an update of the set.
    public func updateQuery<T: _RealmSchemaDiscoverable>(
      toType type: T.Type, where query: ((Query<T>) -> Query<Bool>)? = nil
    ) where T: ObjectBase {
      let text = query.map { QuerySubscription<T>.text($0) } ?? ""
      set.replaceQuery(of: content, type: type.className(), text)
    }

    /// Gives it another query, within an update of the set.
    public func updateQuery(to predicateFormat: String, _ arguments: Any...) {
      set.replaceQuery(
        of: content, type: content.type, SubscriptionText.text(predicateFormat, arguments))
    }
  }

  /// A query to be added to the subscriptions.
  public struct QuerySubscription<T: ObjectBase> {
    let name: String?
    let query: String

    /// All objects of the class.
    public init(name: String? = nil) {
      self.name = name
      query = ""
    }

    /// Objects that a query selects.
    public init(name: String? = nil, query: (Query<T>) -> Query<Bool>) {
      self.name = name
      self.query = Self.text(query)
    }

    /// Objects that a predicate selects.
    public init(name: String? = nil, where predicateFormat: String, _ arguments: Any...) {
      self.name = name
      query = SubscriptionText.text(predicateFormat, arguments)
    }

    static func text(_ query: (Query<T>) -> Query<Bool>) -> String {
      let (format, arguments) = query(Query<T>())._constructPredicate()
      return SubscriptionText.text(format, arguments)
    }
  }
#endif

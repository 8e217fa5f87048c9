/// The classes of a synced file in which it keeps what it knows of the server. No class of a
/// program can have such a name; what they are for is said in `SyncStore`.
package enum SyncClass: Sendable, CaseIterable {
  /// One object: the file itself.
  case file
  /// An object for each one of the program's of which more is known than its values.
  case object
  /// Links to objects that are not there.
  case link
  /// One object: what the agent says to the sessions of all processes, and they to it.
  case session
  /// What programs have written and no state of an object says yet.
  case log

  /// The name of the class.
  package var className: String {
    switch self {
    case .file: "sync.file"
    case .object: "sync.object"
    case .link: "sync.link"
    case .session: "sync.session"
    case .log: "sync.log"
    }
  }
}

extension ClassDescription {
  /// Whether the class is one of the file's own, which programs do not see.
  package var isHidden: Bool {
    isNestedCollection || SyncClass.allCases.contains { $0.className == name }
  }
}

import Foundation

/// What a role tells the coordinator: a line of JSON on its standard output. Times are nanoseconds
/// of the machine's monotonic clock, which all processes share.
enum Message: Codable, Sendable {
  /// The file is open, which took that many nanoseconds.
  case ready(openedIn: UInt64)
  /// A commit is about to be made.
  case committing(number: Int)
  case committed(Commit)
  /// The importer has nothing left to import.
  case imported(packages: Int, links: Int)
  case view(View)
  /// These pulses have been seen, each for the first time.
  case seen([Sighting])
  /// An old version is held; that many packages are in it.
  case pinned(packages: Int)
  case problem(String)
}

struct Commit: Codable, Sendable {
  var number: Int
  /// How long the writer had to wait for its turn.
  var waited: UInt64
  var calledAt: UInt64
  var returnedAt: UInt64
  var what: String
}

/// A viewer has seen the effect of a writer's commit.
struct Sighting: Codable, Sendable {
  var writer: String
  var number: Int
  var at: UInt64
}

/// What a viewer shows.
struct View: Codable, Sendable {
  struct Line: Codable, Sendable {
    var name: String
    var value: Int
  }

  struct Changes: Codable, Sendable {
    var insertions = 0
    var modifications = 0
    var deletions = 0
    var isEmpty: Bool { insertions == 0 && modifications == 0 && deletions == 0 }
  }

  var counts: [Line]
  var title: String
  var top: [Line]
  /// Since the view before.
  var changes: Changes
  var changeSets: Int
}

/// What the coordinator tells a role: a word on its standard input. The end of the input means the
/// same as `quit`.
enum Order: String, Sendable {
  case pin
  case quit
}

/// The clock that all processes of the machine share.
func monotonicNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// A role's side of the conversation.
enum Wire {
  /// Writes one message; lines of several threads do not mix, since each is one write.
  static func send(_ message: Message) {
    guard var data = try? JSONEncoder().encode(message) else { return }
    data.append(UInt8(ascii: "\n"))
    // The coordinator is gone when this fails; the orders end then, too.
    try? FileHandle.standardOutput.write(contentsOf: data)
  }

  /// - Parameter started: when the role began to open the file.
  static func ready(since started: UInt64) {
    send(.ready(openedIn: monotonicNanoseconds() - started))
  }

  /// Calls `body` for each order, on a thread of its own, and at last with `quit`.
  static func receive(_ body: @escaping @Sendable (Order) -> Void) {
    let thread = Thread {
      while let line = readLine(strippingNewline: true) {
        if let order = Order(rawValue: line) { body(order) }
      }
      body(.quit)
    }
    thread.start()
  }
}

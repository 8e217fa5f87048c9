import Foundation

/// What a device's process tells the coordinator: a line of JSON on its standard output.
enum Message: Codable, Sendable {
  /// The file is open.
  case ready
  /// An entry is about to be made, or removed.
  case making(String)
  case removing(String)
  /// All edits have been made that were asked for; these entries by them.
  case edited(made: [String])
  /// The file has changed, by whatever process of whatever device.
  case changed(entries: Int)
  /// Everything that this device wrote is on the server.
  case uploaded
  /// Every entry as this process's loop thread sees it.
  case contents([String])
  case problem(String)
}

/// What the coordinator asks of a process: a line on its standard input.
enum Order: Sendable, Equatable {
  case edit(Int)
  case goOffline
  case goOnline
  case upload
  case tellContents
  case quit

  init?(_ line: String) {
    let words = line.split(separator: " ")
    switch words.first {
    case "edit":
      guard words.count == 2, let count = Int(words[1]) else { return nil }
      self = .edit(count)
    case "offline": self = .goOffline
    case "online": self = .goOnline
    case "upload": self = .upload
    case "contents": self = .tellContents
    case "quit": self = .quit
    default: return nil
    }
  }

  var line: String {
    switch self {
    case .edit(let count): "edit \(count)"
    case .goOffline: "offline"
    case .goOnline: "online"
    case .upload: "upload"
    case .tellContents: "contents"
    case .quit: "quit"
    }
  }
}

/// A process's side of the conversation.
enum Wire {
  /// Writes one message; lines of several threads do not mix, since each is one write.
  static func send(_ message: Message) {
    guard var data = try? JSONEncoder().encode(message) else { return }
    data.append(UInt8(ascii: "\n"))
    // The coordinator is gone when this fails; the orders end then, too.
    try? FileHandle.standardOutput.write(contentsOf: data)
  }

  /// Calls `body` for each order, on a thread of its own, and at last with `quit`.
  static func receive(_ body: @escaping @Sendable (Order) -> Void) {
    let thread = Thread {
      while let line = readLine(strippingNewline: true) {
        if let order = Order(line) { body(order) }
      }
      body(.quit)
    }
    thread.start()
  }
}

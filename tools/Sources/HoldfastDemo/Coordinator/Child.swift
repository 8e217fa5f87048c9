import Foundation
import Synchronization

/// A role in a process of its own. What it says goes to the mailbox.
final class Child: Sendable {
  let name: String
  let processIdentifier: Int32
  let startedAt = monotonicNanoseconds()
  private let process: Process
  private let orders: FileHandle

  /// Starts this program once more, as `role`.
  init(name: String, role: [String], mailbox: Mailbox) throws {
    self.name = name
    process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = role
    let output = Pipe()
    let input = Pipe()
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    processIdentifier = process.processIdentifier
    orders = input.fileHandleForWriting
    let reader = LineReader(output.fileHandleForReading)
    let thread = Thread { [self] in
      while let line = reader.next() {
        mailbox.put(Letter(from: self, content: Self.decode(line)))
      }
      mailbox.put(Letter(from: self, content: .ended))
    }
    thread.start()
  }

  private static func decode(_ line: Data) -> Letter.Content {
    do {
      return .message(try JSONDecoder().decode(Message.self, from: line))
    } catch {
      return .message(.problem("said something else: \(String(decoding: line, as: UTF8.self))"))
    }
  }

  func tell(_ order: Order) {
    // A child that has gone says so through the end of its output.
    try? orders.write(contentsOf: Data((order.rawValue + "\n").utf8))
  }

  /// What the operating system does to a process that gets no say in it.
  func kill() { Glibc.kill(processIdentifier, SIGKILL) }

  /// Once its output has ended.
  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}

/// Something that came from a child.
struct Letter: Sendable {
  enum Content: Sendable {
    case message(Message)
    case ended
  }
  var from: Child
  var content: Content
}

/// Where the letters of all children arrive, in the order of their arrival.
final class Mailbox: Sendable {
  private let letters = Mutex<[Letter]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func put(_ letter: Letter) {
    letters.withLock { $0.append(letter) }
    arrived.signal()
  }

  /// The next letter, or nil if none comes before `deadline`.
  func next(before deadline: DispatchTime) -> Letter? {
    guard arrived.wait(timeout: deadline) == .success else { return nil }
    return letters.withLock { $0.removeFirst() }
  }
}

/// Cuts what comes through a pipe into lines.
final class LineReader: @unchecked Sendable {
  // Sendable: handed to one thread when it starts, and used by no other.

  private let handle: FileHandle
  private var rest = Data()

  init(_ handle: FileHandle) { self.handle = handle }

  /// Nil at the end. A last line that was cut off by its writer's death does not count.
  func next() -> Data? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[rest.startIndex..<end]
        rest = Data(rest[(end + 1)...])
        return Data(line)
      }
      let more = handle.availableData
      if more.isEmpty { return nil }
      rest.append(more)
    }
  }
}

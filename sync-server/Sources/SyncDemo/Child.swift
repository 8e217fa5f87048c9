import Foundation
import Synchronization

/// A device's process, as the coordinator knows it.
final class Child: Sendable {
  let name: String
  private let process = Process()
  private let orders: FileHandle

  /// Starts this program once more, as a device's process.
  init(name: String, arguments: [String], mailbox: Mailbox) throws {
    self.name = name
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["device", "--name", name] + arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    orders = input.fileHandleForWriting
    try process.run()
    let handle = output.fileHandleForReading
    let thread = Thread { [self] in
      var rest = Data()
      while case let more = handle.availableData, !more.isEmpty {
        rest.append(more)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = rest[rest.startIndex..<end]
          rest = Data(rest[(end + 1)...])
          if let message = try? JSONDecoder().decode(Message.self, from: line) {
            mailbox.put(Letter(from: self.name, message: message))
          }
        }
      }
      mailbox.put(Letter(from: self.name, message: nil))
    }
    thread.start()
  }

  func tell(_ order: Order) {
    // A child that has gone says so through the end of its output.
    try? orders.write(contentsOf: Data((order.line + "\n").utf8))
  }

  /// What the operating system does to a process that gets no say in it.
  func kill() {
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func stop() {
    if process.isRunning { kill() }
  }
}

/// What came from a child; no message at the end of its output.
struct Letter: Sendable {
  var from: String
  var message: Message?
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

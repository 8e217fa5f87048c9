import Foundation
import Glibc

/// A connection to a server that says whatever bytes a test wants.
public final class RawConnection {
  private let descriptor: Int32
  private let serverPort: Int

  /// What did not work.
  public struct Failure: Error {
    /// In words.
    public var what: String
  }

  /// Connects; waits at most two minutes for each answer.
  public init(_ server: ServerProcess) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    serverPort = server.port
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(server.port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    let descriptor = descriptor
    let isConnected = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw Failure(what: "no connection") }
  }

  deinit { close(descriptor) }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) {
    var start = 0
    while start < bytes.count {
      let sent = unsafe bytes[start...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return }
      start += sent
    }
  }

  /// Sends text.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Waits until the server has read all that was sent, by what the kernel says of its socket.
  public func waitUntilRead() async throws {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { address in
      _ = unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &size)
      }
    }
    let (near, far) = (Self.name(of: serverPort), Self.name(of: Int(address.sin_port.bigEndian)))
    // While others connect a line may be missing from the table.
    for _ in 0..<10_000 {
      // The kernel gives it in pieces, however large they are to be.
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/net/tcp"))
      let table = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
      let fields = table.split(separator: "\n").map { $0.split(separator: " ") }
      let line = fields.first { $0.count > 4 && $0[1].hasSuffix(near) && $0[2].hasSuffix(far) }
      if line?[4].hasSuffix(":00000000") == true { return }
      await Task.yield()
    }
    throw Failure(what: "the server does not read")
  }

  /// A port as the kernel's table has it.
  private static func name(of port: Int) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return ":" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Some more bytes; none when the server has closed.
  public func receive() throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    if count < 0, errno == EAGAIN { throw Failure(what: "no answer") }
    return Array(bytes.prefix(max(0, count)))
  }

  /// All that comes until something is in it, or the server closes.
  public func receive(until end: [UInt8]) throws -> [UInt8] {
    var all: [UInt8] = []
    while all.firstRange(of: end) == nil {
      let more = try receive()
      if more.isEmpty { break }
      all += more
    }
    return all
  }

  /// The first line of the answer to a request.
  public func status() throws -> String {
    let answer = String(decoding: try receive(until: Array("\r\n".utf8)), as: UTF8.self)
    return String(answer.prefix { $0 != "\r\n" && $0 != "\r" })
  }

  /// What asks for a WebSocket of an app.
  public static func upgradeRequest(_ app: String) -> String {
    "GET /sync/\(app) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
      + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
  }

  /// Becomes a WebSocket of an app.
  public func upgrade(_ app: String) throws {
    send(Self.upgradeRequest(app))
    _ = try receive(until: Array("\r\n\r\n".utf8))
  }
}

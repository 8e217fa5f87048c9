import Foundation
import Glibc

/// Says that the server listens, or is about to end, to whoever has started it.
struct Announcement: Sendable {
  /// A file that the port is written to.
  var portFile: String?
  /// An open descriptor that the port is written to.
  var portDescriptor: Int32?
  /// The socket of the service manager, as `$NOTIFY_SOCKET` names it.
  var notifySocket: String?

  /// The server listens.
  func listening(at port: Int) throws {
    let line = Array("\(port)\n".utf8)
    if let portFile { try PrivateFile.write(line, to: portFile) }
    if let portDescriptor {
      try FileHandle(fileDescriptor: portDescriptor, closeOnDealloc: false)
        .write(contentsOf: Data(line))
    }
    try notify("READY=1\nSTATUS=Listening at port \(port)")
  }

  /// The server has been asked to end.
  func stopping() throws { try notify("STOPPING=1") }

  /// One datagram, in the form of `sd_notify`.
  private func notify(_ message: String) throws {
    guard let path = notifySocket, !path.isEmpty else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A name that begins with @ is in the kernel's own namespace, which begins with zero.
    var name = Array(path.utf8)
    if name[0] == UInt8(ascii: "@") { name[0] = 0 }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw POSIXError(.ENAMETOOLONG)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count
    let sent = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(descriptor, message, message.utf8.count, 0, address, socklen_t(size))
      }
    }
    guard sent == message.utf8.count else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }
}

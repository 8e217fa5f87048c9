import Foundation
import SyncLab
import SyncProtocol
import Testing

@Suite("the test vectors of the protocol") struct VectorTests {
  private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "Vectors")

  @Test("are what is sent")
  func encoding() throws {
    #expect(ProtocolVectors.all.count == 18)
    for (name, bytes) in ProtocolVectors.all {
      let file = folder.appending(path: "\(name).hex")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(ProtocolVectors.text(bytes) + "\n" == text, "\(name)")
    }
  }

  @Test("are what is read")
  func decoding() throws {
    for (name, frame) in ProtocolSamples.frames {
      let file = folder.appending(path: "frame-\(name).hex")
      let text = try String(contentsOf: file, encoding: .utf8).dropLast()
      let bytes = stride(from: 0, to: text.count, by: 2).compactMap { offset in
        UInt8(text.dropFirst(offset).prefix(2), radix: 16)
      }
      #expect(try Frame.decode(bytes) == frame, "\(name)")
    }
  }
}

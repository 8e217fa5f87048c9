import Foundation
import Platform
import Testing

/// Memory for what is decrypted, as the kernel describes it.
@Suite struct SecretMemoryTests {
  /// The flags of the mapping that begins at that address.
  private func flags(of address: UnsafeRawPointer) throws -> Set<String> {
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    // It may have been joined with a neighbour that is advised alike.
    var isFound = false
    for line in text.split(separator: "\n") {
      let word = line.prefix { $0 != " " }
      if word.contains("-"), let dash = word.firstIndex(of: "-") {
        let end = UInt(word[word.index(after: dash)...], radix: 16) ?? 0
        let first = UInt(word[..<dash], radix: 16) ?? .max
        isFound = first <= UInt(bitPattern: address) && UInt(bitPattern: address) < end
      } else if isFound, line.hasPrefix("VmFlags:") {
        return Set(line.dropFirst(8).split(separator: " ").map(String.init))
      }
    }
    Issue.record(unsafe "no mapping at \(address)")
    return []
  }

  @Test func `it is in no core dump and takes no huge pages`() throws {
    let length = 8 << 20
    let secret = try unsafe AnonymousMemory.mapSecret(length: length)
    defer { unsafe AnonymousMemory.unmap(secret, length: length) }
    let flags = try unsafe flags(of: secret)
    #expect(flags.contains("dd"))
    #expect(flags.contains("nh"))
  }

  @Test func `keys are in no core dump, and in no memory once they are gone`() throws {
    var key: SecretBytes? = SecretBytes((0..<64).map { UInt8($0) })
    let address = unsafe key!.withUnsafeBytes { $0.baseAddress! }
    #expect(try unsafe flags(of: address).contains("dd"))
    #expect(key == SecretBytes((0..<64).map { UInt8($0) }))
    #expect(key != SecretBytes((1..<65).map { UInt8($0) }))
    #expect(unsafe key?.withUnsafeBytes { unsafe Array($0) } == Array(0..<64))
    key = nil
    // Whatever lies there by now.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/mem"))
    if (try? file.seek(toOffset: UInt64(UInt(bitPattern: address)))) != nil,
      let bytes = try? file.read(upToCount: 64)
    {
      #expect(Array(bytes) != Array(0..<64))
    }
  }

  @Test func `what is given back reads as zeros`() throws {
    let length = 1 << 16
    let secret = try unsafe AnonymousMemory.mapSecret(length: length)
    defer { unsafe AnonymousMemory.unmap(secret, length: length) }
    unsafe secret.storeBytes(of: 7, toByteOffset: 5000, as: UInt8.self)
    unsafe AnonymousMemory.release(secret, length: length)
    #expect(unsafe secret.load(fromByteOffset: 5000, as: UInt8.self) == 0)
  }
}

import Crypto
import CryptoExtras
import Dispatch
import Foundation
import Platform

/// What is kept of a password: a slow hash of it with random salt.
struct PasswordHash: Sendable, Hashable {
  var salt: [UInt8]
  var hash: [UInt8]

  /// For identities that others prove.
  static let none = PasswordHash(salt: [], hash: [])

  /// Hashing takes 16 MiB and tens of milliseconds: two at a time, and so many that wait, so that
  /// those who guess passwords cannot take the machine.
  private static let queues = (0..<2).map { DispatchQueue(label: "scrypt.\($0)") }
  private static let waiting = LockedValue(0)
  private static let waitingMax = 200

  /// Hashes a password, away from the caller's thread.
  static func make(_ password: String) async throws -> PasswordHash {
    let salt = RandomBytes.make(16)
    return PasswordHash(salt: salt, hash: try await derive(password, salt))
  }

  /// Whether this is the hash of a password. Takes the same time for a wrong one.
  func matches(_ password: String) async throws -> Bool {
    let other = try await Self.derive(password, salt)
    return !hash.isEmpty && Self.areEqual(other, hash)
  }

  /// Spends the time of a comparison, where there is nothing to be compared with: else it would
  /// show who has an account.
  static func waste(_ password: String) async throws {
    _ = try await derive(password, [UInt8](repeating: 0, count: 16))
  }

  private static func derive(_ password: String, _ salt: [UInt8]) async throws -> [UInt8] {
    let place = waiting.withLock { count in
      count += 1
      return count
    }
    defer { waiting.withLock { $0 -= 1 } }
    guard place <= waitingMax else { throw APIError.tooManyRequests }
    return try await withCheckedThrowingContinuation { continuation in
      queues[place % queues.count].async {
        continuation.resume(
          with: Result {
            let key = try KDF.Scrypt.deriveKey(
              from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: 1 << 14,
              blockSize: 8, parallelism: 1)
            return unsafe key.withUnsafeBytes { unsafe Array($0) }
          })
      }
    }
  }

  /// Compares in a time that does not depend on where the difference is.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Bytes as hexadecimal digits.
enum Hex {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

import EngineLab
import Platform
import TestSupport
import Testing

@testable import Storage

@Suite struct NonceTests {
  /// Every nonce under which something was encrypted, over processes that die at every call, the
  /// recoveries that follow, copies of the file that are gone on with, and repeated versions.
  @Test func `a nonce is used for one text only`() throws {
    let nonces = NonceRecorder()
    let bench = Workbench(nonces: nonces)
    var bytes = try bench.run(from: nil, failingCall: nil)
    for call in 0..<60 {
      // The same state of the file twice, as a backup that is restored has it.
      _ = try? bench.run(from: bytes, failingCall: call)
      bytes = try bench.run(from: bytes, failingCall: nil)
    }
    #expect(nonces.repeated == [])
    #expect(nonces.count > 2000)
  }

  /// Runs a few commits on a machine of its own.
  private struct Workbench {
    let nonces: NonceRecorder
    let model = LeafModel(leafCount: 10, wordsMax: 40, changesMax: 3, seed: 3)

    /// - Returns: the file as it is after that.
    func run(from bytes: [UInt8]?, failingCall: Int?) throws -> [UInt8] {
      let system = SimulatedSystem()
      system.recordsCalls = false
      if let bytes { system.install(bytes, at: "/a.realm") }
      var options = DatabaseOptions()
      options.encryptionKey = .lab
      options.compactsInBackground = false
      options.mappingReservation = 1 << 20
      let database = try Database.open(
        path: "/a.realm", options: options, system: RecordingSystem(system, nonces))
      if let failingCall {
        var plan = FaultPlan()
        plan.failingCall = failingCall
        plan.code = ErrorNumber.inputOutput
        system.faults = plan
      }
      for durability in [Durability.full, .relaxed, .grouped, .strict] {
        let transaction = try database.beginWrite()
        try model.apply(to: transaction)
        _ = try transaction.commit(durability: durability)
      }
      try database.flush()
      return system.contents(of: "/a.realm")
    }
  }
}

/// Remembers what was written under which nonce.
private final class NonceRecorder: Sendable {
  private let texts = LockedValue<[[UInt8]: Int]>([:])
  private let repeats = LockedValue<[String]>([])

  var count: Int { texts.withLock { $0.count } }
  var repeated: [String] { repeats.withLock { $0 } }

  func note(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
    if offset < UInt64(FileLayout.firstNode) { return unsafe noteSlot(bytes, at: offset) }
    var place = 0
    while place + SealedNodeLayout.text <= bytes.count {
      let size = unsafe Int(
        bytes.loadUnaligned(fromByteOffset: place + SealedNodeLayout.byteSize, as: UInt64.self))
      let end = place + size + SealedNodeLayout.extraSize
      guard size >= NodeLayout.byteSizeMin, end <= bytes.count else { return }
      let salt = unsafe bytes[place + SealedNodeLayout.salt..<place + SealedNodeLayout.text]
      unsafe note(Array(salt), offset + UInt64(place), bytes[place..<end])
      place = end
    }
  }

  private func noteSlot(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
    guard (FileLayout.durableSlots + FileLayout.volatileSlots).contains(Int(offset)),
      unsafe bytes.contains(where: { $0 != 0 })
    else { return }
    let salt = unsafe bytes[FileLayout.slotSalt..<FileLayout.slotSalt + FileLayout.slotSaltSize]
    unsafe note(Array(salt), offset, bytes[...])
  }

  /// Bytes that are written again as they are have not been encrypted again.
  private func note(_ salt: [UInt8], _ offset: UInt64, _ text: Slice<UnsafeRawBufferPointer>) {
    let nonce = unsafe salt + withUnsafeBytes(of: offset) { unsafe Array($0) }
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: text))
    let hash = hasher.finalize()
    let earlier = texts.withLock { texts in
      let earlier = texts[nonce]
      texts[nonce] = hash
      return earlier
    }
    if let earlier, earlier != hash { repeats.withLock { $0.append("at byte \(offset)") } }
  }
}

private final class RecordingSystem: ForwardingSystem {
  let real: any System
  private let nonces: NonceRecorder

  init(_ real: any System, _ nonces: NonceRecorder) {
    self.real = real
    self.nonces = nonces
  }

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    let file = try real.openFile(path: path, mode: mode)
    return path.hasSuffix(".lock") ? file : RecordingFile(file, nonces)
  }
}

private final class RecordingFile: ForwardingFile {
  let real: any SystemFile
  private let nonces: NonceRecorder

  init(_ real: any SystemFile, _ nonces: NonceRecorder) {
    self.real = real
    self.nonces = nonces
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    unsafe nonces.note(bytes, at: offset)
    try unsafe real.write(bytes, at: offset)
  }
}

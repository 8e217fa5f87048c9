import Synchronization

/// The names of key paths that are literals: such a key path is the same instance each time.
///
/// A table of fixed size in which each key path has one place; those that find theirs taken are
/// looked up elsewhere. Entries are never changed or freed, so reading takes no lock.
enum KeyPathNames {
  final class Entry: @unchecked Sendable {
    // Sendable: immutable, as key paths are, which are only not marked so.
    let keyPath: AnyKeyPath
    let components: [String]

    init(_ keyPath: AnyKeyPath, _ components: [String]) {
      self.keyPath = keyPath
      self.components = components
    }
  }

  private static let count = 1024
  @safe nonisolated(unsafe) private static let places = {
    let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
    for index in 0..<count { unsafe (places + index).initialize(to: Atomic(0)) }
    return unsafe places
  }()

  private static func place(of keyPath: AnyKeyPath) -> UnsafeMutablePointer<Atomic<UInt>> {
    let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    let mixed = UInt64(address) &* 0x9E37_79B9_7F4A_7C15
    return unsafe places + Int(mixed &>> 54)
  }

  /// The names on the way, if they are known.
  static func components(of keyPath: AnyKeyPath) -> [String]? {
    let bits = unsafe place(of: keyPath).pointee.load(ordering: .acquiring)
    guard let address = unsafe UnsafeRawPointer(bitPattern: bits) else { return nil }
    return unsafe Unmanaged<Entry>.fromOpaque(address)._withUnsafeGuaranteedRef { entry in
      entry.keyPath === keyPath ? entry.components : nil
    }
  }

  static func remember(_ components: [String], of keyPath: AnyKeyPath) {
    let place = unsafe place(of: keyPath)
    if unsafe place.pointee.load(ordering: .relaxed) != 0 { return }
    let entry = unsafe Unmanaged.passRetained(Entry(keyPath, components))
    let bits = unsafe UInt(bitPattern: entry.toOpaque())
    let outcome = unsafe place.pointee.compareExchange(
      expected: 0, desired: bits, ordering: .acquiringAndReleasing)
    if !outcome.exchanged { unsafe entry.release() }
  }
}

/// The word of shared memory that stands for the writer role. 32 bits, because that is what the
/// kernel lets processes sleep on.
///
/// | bits | what |
/// | --- | --- |
/// | 0-12 | 0 while the role is free, else participant + 1 |
/// | 13 | whether processes sleep on the word, or are about to |
/// | 14-31 | counts how often the role has been given back |
///
/// A free word with waiters is reserved for those who sleep: see `WriterRole`.
struct WriterWord: Equatable {
  private(set) var bits: UInt32

  private static let holderMask: UInt32 = 1 << 13 - 1
  private static let waitersBit: UInt32 = 1 << 13
  private static let turn: UInt32 = 1 << 14

  init(bits: UInt32) { self.bits = bits }

  var isFree: Bool { bits & Self.holderMask == 0 }

  var hasWaiters: Bool { bits & Self.waitersBit != 0 }

  /// The participant that has the role; nil while it is free.
  var holder: Int? { isFree ? nil : Int(bits & Self.holderMask) - 1 }

  func taken(by participant: Int) -> WriterWord {
    WriterWord(bits: bits & ~Self.holderMask | UInt32(participant + 1))
  }

  /// Free, and in the count's next turn.
  var released: WriterWord {
    WriterWord(bits: bits & ~Self.holderMask &+ Self.turn)
  }

  var withWaiters: WriterWord { WriterWord(bits: bits | Self.waitersBit) }

  var withoutWaiters: WriterWord { WriterWord(bits: bits & ~Self.waitersBit) }
}

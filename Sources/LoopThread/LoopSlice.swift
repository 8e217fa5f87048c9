import Platform

/// Gives a thread a short slice of the processor as long as it has a loop.
///
/// A loop that wakes while others compute would wait for the end of their slice, which the kernel looks
/// at with every tick of its clock: up to 4 ms, or 10, by how it was built. A short slice of its own
/// lets it run at once.
struct LoopSlice {
  /// Nanoseconds. Long enough for what a turn does as a rule, short enough to come before everybody
  /// with the kernel's own choice (0.7 ms and more).
  static let length: UInt64 = 300_000

  private let former: UInt64?

  init() {
    former = ProcessorSlice.ofCallingThread()
    if let former, former > Self.length { ProcessorSlice.setForCallingThread(Self.length) }
  }

  /// On the same thread.
  func giveBack() {
    if let former, former > Self.length { ProcessorSlice.setForCallingThread(former) }
  }
}

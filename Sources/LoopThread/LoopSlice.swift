import Platform

/// Gives a thread a short slice of the processor as long as it has a loop.
///
/// A loop that wakes while others compute would wait for the end of their slice, which the kernel
/// looks at with every tick of its clock: up to 4 ms, or 10, by how it was built. With a shorter
/// slice it runs at once, unless less is left of theirs: so it has the shortest that there is.
/// Every thread has 0.7 to 2.8 ms otherwise, by the number of processors. A turn that lasts longer
/// than the slice has to let others run from the next tick on, as with half of theirs.
struct LoopSlice {
  private static let shortestNanoseconds: UInt64 = 100_000

  private let former: UInt64?

  init() {
    former = ProcessorSlice.ofCallingThread()
    guard let former else { return }
    ProcessorSlice.setForCallingThread(min(former, Self.shortestNanoseconds))
  }

  /// On the same thread.
  func giveBack() {
    if let former { ProcessorSlice.setForCallingThread(former) }
  }
}

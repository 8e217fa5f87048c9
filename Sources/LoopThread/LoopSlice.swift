import Platform

/// Gives a thread a short slice of the processor as long as it has a loop.
///
/// A loop that wakes while others compute would wait for the end of their slice, which the kernel
/// looks at with every tick of its clock: up to 4 ms, or 10, by how it was built. With a shorter
/// slice than theirs it runs at once. Half of what the kernel gives every thread (0.7 to 2.8 ms, by
/// the number of processors) is long enough for nearly all turns: a turn that lasts longer has to
/// let others run.
struct LoopSlice {
  private let former: UInt64?

  init() {
    former = ProcessorSlice.ofCallingThread()
    guard let former else { return }
    // The thread may have been started by one with a short slice.
    ProcessorSlice.setForCallingThread(nil)
    let usual = ProcessorSlice.ofCallingThread() ?? former
    ProcessorSlice.setForCallingThread(min(former, usual / 2))
  }

  /// On the same thread.
  func giveBack() {
    if let former { ProcessorSlice.setForCallingThread(former) }
  }
}

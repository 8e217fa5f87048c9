internal import CPlatform

/// How long the kernel lets the calling thread run before it looks whether others should. A thread
/// with a short slice takes the processor from threads with longer ones as soon as it wakes; how
/// much of the processor each gets in all stays the same.
///
/// Linux has slices from 6.12 on. Where there are none, asking for one does nothing.
public enum ProcessorSlice {
  /// Nanoseconds; nil where there are no slices, and for threads with real-time, batch or idle
  /// scheduling, which have none.
  public static func ofCallingThread() -> UInt64? {
    let slice = holdfast_slice()
    return slice > 0 ? slice : nil
  }

  /// Asks for `nanoseconds`, or for the kernel's choice. The kernel takes 100,000 to 100,000,000.
  public static func setForCallingThread(_ nanoseconds: UInt64?) {
    // A sandbox that forbids it leaves the thread as it was; everything works without.
    _ = holdfast_slice_set(nanoseconds ?? 0)
  }
}

internal import CPlatform

/// Lets a handle detect that it is used in a child made by fork(), where its descriptors are closed
/// and its locks belong to the parent.
public enum ForkGuard {
  /// Changes in a child made by fork(). Remember it at birth, compare it on use.
  public static var generation: UInt32 { counter.pointee }

  /// Where the generation is, for those who look often.
  public static var counter: UnsafePointer<UInt32> { holdfast_fork_counter() }
}

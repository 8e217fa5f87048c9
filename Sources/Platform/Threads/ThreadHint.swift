internal import CPlatform

/// One number per thread, for remembering where the thread found something last.
public enum ThreadHint {
  /// Valid on the calling thread only.
  public static func address() -> UnsafeMutablePointer<UInt32> { holdfast_thread_hint() }
}

import Glibc

/// Time since some moment of this boot; all processes of the machine read the same clock.
public enum MonotonicClock {
  /// Nanoseconds.
  public static func now() -> UInt64 { read(CLOCK_MONOTONIC) }

  /// Nanoseconds, up to a few milliseconds old; a fraction of the cost of `now()`.
  public static func coarse() -> UInt64 { read(CLOCK_MONOTONIC_COARSE) }

  /// Nanoseconds for which the calling thread has had a processor.
  public static func ofThread() -> UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

  @inline(__always)
  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

import Platform

/// Time since it was started, and the part of it in which the calling thread ran, nanoseconds.
struct Stopwatch {
  private let start = MonotonicClock.now()
  private let threadStart = MonotonicClock.ofThread()

  var elapsed: UInt64 { MonotonicClock.now() - start }
  var busy: UInt64 { MonotonicClock.ofThread() - threadStart }
}

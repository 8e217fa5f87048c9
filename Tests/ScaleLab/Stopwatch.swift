import Platform

/// Time since it was started, and the part of it in which the calling thread ran, nanoseconds.
struct Stopwatch {
  private let start = MonotonicClock.now()
  private let threadStart = ProcessFigures.threadTime()

  var elapsed: UInt64 { MonotonicClock.now() - start }
  var busy: UInt64 { ProcessFigures.threadTime() - threadStart }
}

import Platform
import TestSupport

/// The real machine, on which no time passes: reservations and looks at the clock never fall due,
/// however long another process waits for a processor.
final class StandingClock: ForwardingSystem {
  let real: any System = PosixSystem.shared
  private let instant = PosixSystem.shared.now()

  func now() -> UInt64 { instant }
  func coarseNow() -> UInt64 { instant }
}

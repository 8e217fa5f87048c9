import Platform
import Synchronization

/// Whether the data file's path still names the file that is open, looked at once a second while
/// there are writes.
///
/// Programs that rename or delete a file that is in use do not ask for its locks. What is committed
/// to a file without a name is lost with the last process that has it open, so writing stops with
/// an error; commits within the second before it may be affected.
final class PathWatch: Sendable {
  private let file: any SystemFile
  private let system: any System
  private let lastLook: Atomic<UInt64>
  static let intervalNanoseconds: UInt64 = 1_000_000_000

  init(file: any SystemFile, system: any System) {
    self.file = file
    self.system = system
    lastLook = Atomic(system.coarseNow())
  }

  /// Looks if that is due. A look that did not find the file is repeated each time.
  func requirePath() throws(LockFileError) {
    let now = system.coarseNow()
    let last = lastLook.load(ordering: .relaxed)
    guard now > last + PathWatch.intervalNanoseconds else { return }
    do {
      if try system.identity(ofFileAt: file.path) != file.identity { throw moved() }
    } catch let error as LockFileError {
      throw error
    } catch {
      // A directory that cannot be searched at the moment gives no information about the file.
    }
    lastLook.store(now, ordering: .relaxed)
  }

  private func moved() -> LockFileError {
    LockFileError(
      .dataFileReplaced, path: file.path,
      "the file was moved, replaced or deleted while it was open, so that what is written to it "
        + "could not be found again; put it back, or close it in every process and open it again")
  }
}

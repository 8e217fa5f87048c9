import Dispatch
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct OpeningTests {
  private let directory = TemporaryDirectory()
  private let watch = FlushWatch()

  @Test("opening a file does not wait for the opening of another", .timeLimit(.minutes(5)))
  func openingsOfSeveralFiles() throws {
    let slow = directory.file("slow.realm")
    let opened = DispatchSemaphore(value: 0)
    watch.holdFlushes()
    Thread.detachNewThread { [watch] in
      _ = try! Database.open(path: slow, system: watch)
      opened.signal()
    }
    watch.waitForFlush()
    let other = try Database.open(path: directory.file("other.realm"), system: watch.real)
    #expect(other.newestVersion > 0)
    #expect(opened.wait(timeout: .now()) == .timedOut)
    watch.letFlushesPass()
    opened.wait()
  }
}

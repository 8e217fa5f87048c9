import Testing

@testable import SyncServer

/// What is on its way to a client, as the app and its connection count it.
@Suite struct UnsentBytesTests {
  @Test func theAppHearsOnceOfWhatLeavesIfItWaits() {
    let unsent = UnsentBytes()
    unsent.add(100)
    #expect(!unsent.remove(10))
    #expect(unsent.awaitLess(than: 50))
    #expect(unsent.remove(30))
    #expect(!unsent.remove(30))
    #expect(unsent.count == 30)
  }

  @Test func whoHasRoomDoesNotWait() {
    let unsent = UnsentBytes()
    unsent.add(40)
    #expect(!unsent.awaitLess(than: 50))
    #expect(!unsent.remove(40))
  }
}

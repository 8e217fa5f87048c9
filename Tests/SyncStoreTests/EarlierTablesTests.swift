import ObjectStore
import Storage
import SyncStore
import SyncStoreLab
import Testing

@Suite("a synced file of an earlier version of the library") struct EarlierTablesTests {
  @Test("gets what its hidden tables lack, and keeps what is in them", arguments: [1, 3])
  func properties(missing count: Int) throws {
    let device = try StoreDevice(4096, clock: StoreClock(), subscriptions: [])
    let client = try device.info.record.client
    let hidden = try device.read { $0.schema.classes.filter(\.isHidden) }
    #expect(hidden.count == 5)
    for known in hidden where known.properties.count > count {
      let transaction = try device.beginSync()
      var earlier = known
      earlier.properties.removeLast(count)
      let version = transaction.schema.description.version
      try transaction.finishMigration(to: SchemaDescription(classes: [earlier], version: version))
      #expect(transaction.schema.description.lacksSyncTables, "\(known.name)")
      try SyncFile.upgrade(transaction)
      #expect(!transaction.schema.description.lacksSyncTables, "\(known.name)")
      // What the file itself says is lost with its columns; that is not what this is about.
      if known.name.hasSuffix("file") {
        transaction.cancel()
      } else {
        try device.commitSync(transaction)
      }
    }
    #expect(try device.info.record.client == client)
  }
}

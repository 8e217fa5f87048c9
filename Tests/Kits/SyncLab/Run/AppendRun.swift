import SyncProtocol

/// Two clients append to one list at once, and the server merges both batches.
public enum AppendRun {
  /// How long the server takes for both, decoding and the commit to memory left out.
  public static func run(count: Int) -> Duration {
    var batches: [ReceivedBatch] = []
    var server: ServerCore<SimulatedServerStorage>
    do {
      server = try ServerCore(storage: SimulatedServerStorage(epoch: 1), isSchemaOpen: true)
      _ = server.addClasses(LabClasses.classes(isNew: false))
      try server.flush()
      for number in 0..<2 {
        var device = Device(number: number, isNew: false, skew: 0)
        let id = ObjectID(type: device.name(LabClasses.item), key: .int(1))
        let list = ContainerID(declaredBy: device.name("list"), in: .root)
        device.core.create(id, now: 1)
        for index in 0..<count {
          device.core.insert(
            .int(Int64(index)), at: index, of: list, in: id, now: UInt64(1 + index))
        }
        try device.core.storage.commit()
        guard let batch = try device.core.makeBatch() else { continue }
        let bytes = batch.encoded(names: device.core.storage.record.names)
        batches.append(try UploadBatch.decode(bytes, names: server.head.names))
        try server.bind(
          device.id, user: "user", cursor: .zero, query: 0, epoch: 1, batches: [], now: 1)
      }
      let start = ContinuousClock.now
      for (number, batch) in batches.enumerated() {
        _ = try server.upload(batch, from: ClientID(0x1000 + UInt64(number)), now: 1_000_000)
      }
      return ContinuousClock.now - start
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

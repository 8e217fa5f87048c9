import SyncProtocol

/// A server and devices that a test leads step by step: nothing is lost, late or random. Each write
/// is a transaction a millisecond after the one before, whichever device it is on.
public struct SyncBench {
  public var server: ServerCore<SimulatedServerStorage>
  private var devices: [Device] = []
  private var clock: UInt64 = 1_700_000_000_000
  private var backup: SimulatedServerStorage?
  private var epoch: UInt64 = 1
  /// What devices were told that the server did not take.
  public private(set) var refused: [RefusedChange] = []
  /// How many slices devices have applied.
  public private(set) var slices = 0
  /// The query set of each download that took the place of what a device had.
  public private(set) var resets: [UInt64] = []

  /// Devices that see all items, or what a query says; one of them may have an older program, until
  /// it is upgraded.
  public init(
    devices count: Int, query: Text = "", older: Int? = nil
  ) throws(SyncError) {
    server = try ServerCore(storage: SimulatedServerStorage(epoch: 1), isSchemaOpen: true)
    for number in 0..<count {
      devices.append(Device(number: number, isNew: number != older, skew: 0))
      try subscribe(number, query)
    }
  }

  /// Changes what a device wants to see of the items.
  public mutating func subscribe(_ number: Int, _ query: Text) throws(SyncError) {
    devices[number].core.subscribe(to: [Subscription(type: LabClasses.item, query: query)])
    try devices[number].core.storage.commit()
  }

  /// A copy of a device's file as it is now, with what the program has done; as a device of its own
  /// that is the same client for the server.
  public mutating func copyFile(of number: Int) -> Int {
    devices.append(devices[number])
    // A process opens it.
    let copy = devices.count - 1
    _ = devices[copy].core.storage.record.renewWriter(UInt64(copy), isLogged: false)
    devices[copy].core.storage.numberSeed = UInt64(copy)
    return copy
  }

  /// A new file begins with a copy of what the device has, and is another device's.
  public mutating func seedFile(from number: Int) throws(SyncError) -> Int {
    devices.append(devices[number])
    let new = devices.count - 1
    let origin = devices[number].core.storage.record
    devices[new].core.storage.record = ClientRecord(
      client: ClientID(origin.client.rawValue + 0x100), seededBy: origin)
    try devices[new].core.storage.commit()
    return new
  }

  /// Another process synchronises the device's file from now on.
  public mutating func restart(_ number: Int) { devices[number].interrupted = nil }

  /// The device's program becomes the newer one.
  public mutating func upgrade(_ number: Int) throws(SyncError) {
    devices[number].upgrade()
    try devices[number].core.storage.commit()
  }

  /// The device's program has got a class that it lacked, of which there are no objects.
  public mutating func noteNewClass(_ number: Int) throws(SyncError) {
    devices[number].core.storage.record.hasNewClasses = true
    try devices[number].core.storage.commit()
  }

  /// The device's file is one that has never wanted anything.
  public mutating func forgetQueries(_ number: Int) {
    devices[number].core.storage.record.subscriptions = []
    devices[number].core.storage.record.queryVersion = 0
  }

  /// The clock of the device's machine has been so many milliseconds ahead.
  public mutating func setAhead(_ number: Int, by milliseconds: UInt64) {
    devices[number].core.storage.record.clock.receive(
      HybridClock.time(milliseconds: clock + milliseconds))
  }

  /// All clocks had been ahead, and are put right; the server may have been started anew since.
  public mutating func putClocksBack(
    by milliseconds: UInt64, restartingServer: Bool
  ) throws(SyncError) {
    clock -= milliseconds
    if restartingServer {
      server = try ServerCore(storage: server.storage, isSchemaOpen: true)
    }
  }

  /// The client that a device is for the server.
  public func client(_ number: Int) -> ClientID { devices[number].core.storage.record.client }

  private func item(_ key: Int64, _ number: Int) -> ObjectID {
    ObjectID(type: devices[number].name(LabClasses.item), key: .int(key))
  }

  private func collection(_ name: Text, _ key: Int64, _ number: Int) -> ContainerID {
    let property = devices[number].name(name)
    let state = devices[number].core.storage.state(of: item(key, number))
    return state?.collection(property) ?? ContainerID(declaredBy: property, in: .root)
  }

  private mutating func write(
    _ number: Int, _ body: (inout ClientCore<MemoryClientStorage>, UInt64) -> Void
  ) throws(SyncError) {
    clock += 1
    body(&devices[number].core, clock)
    try devices[number].core.storage.commit()
  }
}

// What programs do; the first argument is the device, the second one the key of the item.
extension SyncBench {
  public mutating func create(_ number: Int, _ key: Int64) throws(SyncError) {
    let id = item(key, number)
    try write(number) { $0.create(id, now: $1) }
  }

  public mutating func delete(_ number: Int, _ key: Int64) throws(SyncError) {
    let id = item(key, number)
    try write(number) { $0.delete(id, now: $1) }
  }

  public mutating func set(
    _ number: Int, _ key: Int64, _ property: Text, _ value: CellValue, isDefault: Bool = false
  ) throws(SyncError) {
    let id = item(key, number)
    let slot = Slot.property(devices[number].name(property))
    try write(number) { $0.set(slot, in: id, to: value, isDefault: isDefault, now: $1) }
  }

  public mutating func link(
    _ number: Int, _ key: Int64, to target: Int64
  ) throws(SyncError) {
    try set(number, key, "link", .link(item(target, number)))
  }

  /// A new embedded object.
  public mutating func embed(_ number: Int, _ key: Int64) throws(SyncError) {
    try set(number, key, "child", .object(devices[number].name(LabClasses.part)))
  }

  public mutating func setInChild(
    _ number: Int, _ key: Int64, _ value: CellValue
  ) throws(SyncError) {
    let id = item(key, number)
    let child = collection("child", key, number)
    let slot = Slot.property(devices[number].name("x"))
    try write(number) { $0.set(slot, of: child, in: id, to: value, now: $1) }
  }

  public mutating func setKey(
    _ number: Int, _ key: Int64, _ name: Text, _ value: CellValue
  ) throws(SyncError) {
    let id = item(key, number)
    let map = collection("map", key, number)
    try write(number) { $0.set(.key(name), of: map, in: id, to: value, now: $1) }
  }

  /// Sets a key of the map that is the value of a key of the map.
  public mutating func setNestedKey(
    _ number: Int, _ key: Int64, _ name: Text, _ nested: Text, _ value: CellValue
  ) throws(SyncError) {
    let id = item(key, number)
    let state = devices[number].core.storage.state(of: id)
    guard let map = state?.container(at: .key(name), of: collection("map", key, number)) else {
      throw SyncError(.storage, "The key has no map.")
    }
    try write(number) { $0.set(.key(nested), of: map, in: id, to: value, now: $1) }
  }

  public mutating func insert(
    _ number: Int, _ key: Int64, _ values: [Int64], at index: Int
  ) throws(SyncError) {
    let id = item(key, number)
    let list = collection("list", key, number)
    for (offset, value) in values.enumerated() {
      try write(number) {
        $0.insert(.int(value), at: index + offset, of: list, in: id, now: $1)
      }
    }
  }

  public mutating func append(
    _ number: Int, _ key: Int64, _ values: [Int64]
  ) throws(SyncError) {
    try insert(number, key, values, at: list(number, key).count)
  }

  public mutating func setItem(
    _ number: Int, _ key: Int64, _ index: Int, _ value: Int64
  ) throws(SyncError) {
    let id = item(key, number)
    let list = collection("list", key, number)
    try write(number) { $0.setItem(index, of: list, in: id, to: .int(value), now: $1) }
  }

  public mutating func removeItem(_ number: Int, _ key: Int64, _ index: Int) throws(SyncError) {
    let id = item(key, number)
    let list = collection("list", key, number)
    try write(number) { $0.removeItem(index, of: list, in: id, now: $1) }
  }

  public mutating func moveItem(
    _ number: Int, _ key: Int64, _ index: Int, to target: Int
  ) throws(SyncError) {
    let id = item(key, number)
    let list = collection("list", key, number)
    try write(number) { $0.moveItem(index, to: target, of: list, in: id, now: $1) }
  }
}

// What programs see.
extension SyncBench {
  /// The number of what a device wants to see.
  public func queryVersion(_ number: Int) -> UInt64 {
    devices[number].core.storage.record.queryVersion
  }

  /// The number of the newest batch of a device.
  public func batch(_ number: Int) -> UInt64 { devices[number].core.storage.record.batch }

  public func exists(_ number: Int, _ key: Int64) -> Bool {
    devices[number].core.exists(item(key, number))
  }

  public func value(_ number: Int, _ key: Int64, _ property: Text) -> CellValue? {
    let slot = Slot.property(devices[number].name(property))
    return devices[number].core.storage.value(slot, of: .root, in: item(key, number))
  }

  public func valueInChild(_ number: Int, _ key: Int64) -> CellValue? {
    let slot = Slot.property(devices[number].name("x"))
    return devices[number].core.storage.value(
      slot, of: collection("child", key, number), in: item(key, number))
  }

  public func value(_ number: Int, _ key: Int64, atKey name: Text) -> CellValue? {
    devices[number].core.storage.value(
      .key(name), of: collection("map", key, number), in: item(key, number))
  }

  public func value(
    _ number: Int, _ key: Int64, atKey name: Text, _ nested: Text
  ) -> CellValue? {
    let id = item(key, number)
    let state = devices[number].core.storage.state(of: id)
    guard let map = state?.container(at: .key(name), of: collection("map", key, number)) else {
      return nil
    }
    return devices[number].core.storage.value(.key(nested), of: map, in: id)
  }

  public func list(_ number: Int, _ key: Int64) -> [Int64] {
    let id = item(key, number)
    let list = collection("list", key, number)
    let count = devices[number].core.storage.state(of: id)?.elements(of: list).count ?? 0
    return (0..<count).map { index in
      guard case .int(let value) = devices[number].core.storage.item(index, of: list, in: id)
      else { return -1 }
      return value
    }
  }

  public func isDirty(_ number: Int) -> Bool { devices[number].core.isDirty }
}

extension SyncBench {
  /// A connection of a device, from the first frame until neither side has anything to say; or for
  /// so many rounds that something is wrong.
  ///
  /// - Parameters:
  ///   - transaction: how many cells what the device has missed may have in one slice, if that is
  ///     not as many as other slices have.
  ///   - cut: ends the connection when so many slices were applied; with 0 when one is on its way.
  ///   - losesAnswer: ends it when the server has merged something.
  ///   - losesUpload: a batch does not arrive before the connection ends.
  ///   - refusesTimes: the server calls all batches ahead of its clock.
  ///   - meanwhile: what happens whenever a slice was applied.
  public mutating func sync(
    _ number: Int, discardsUnsynced: Bool = false, cellsOfSlice: Int = Limits.cellsOfSlice,
    cellsOfOneTransaction transaction: Int? = nil, cutAfter cut: Int = .max,
    losesAnswer: Bool = false, losesUpload: Bool = false, refusesTimes: Bool = false,
    meanwhile: (inout SyncBench) throws(SyncError) -> Void = { _ throws(SyncError) in }
  ) throws(SyncError) {
    let slicesBefore = slices
    clock += 1
    let classes = LabClasses.classes(isNew: devices[number].isNew)
    var client = ClientSession(
      app: "lab", token: devices[number].user, classes: classes,
      discardsUnsynced: discardsUnsynced, goingOnWith: devices[number].interrupted)
    defer { devices[number].interrupted = client.interrupted }
    var rounds = 0
    var session = ServerSession(app: "lab")
    session.cellsOfSlice = cellsOfSlice
    if cellsOfSlice < Limits.cellsOfSlice {
      session.cellsOfOneTransaction = transaction ?? cellsOfSlice
    }
    var toServer = client.start()
    var toClient: [SessionAction] = []
    let ahead = Frame.error(
      SyncError(.clockAhead, "ahead"), time: clock, retryAfterMilliseconds: 0)
    repeat {
      let version = server.head.version
      for action in toServer {
        guard case .send(let frame) = action else { continue }
        if losesUpload || refusesTimes, case .upload = try? Frame.decode(frame) {
          if refusesTimes { toClient.append(.send(ahead.encoded)) }
          continue
        }
        toClient += session.receive(frame, &server, now: clock)
      }
      try server.flush()
      if losesAnswer, server.head.version > version { return }
      while case let actions = session.poll(&server, now: clock), !actions.isEmpty {
        toClient += actions
      }
      if cut == 0, server.files[self.client(number)]?.isOffered == true { return }
      toServer = []
      while !toClient.isEmpty {
        switch toClient.removeFirst() {
        case .send(let frame):
          toServer += client.receive(frame, &devices[number].core, now: clock)
          if client.applied != nil {
            slices += 1
            try meanwhile(&self)
          }
          if cut > 0, slices - slicesBefore >= cut { return }
          refused += client.applied?.refused ?? []
          if client.applied?.isReset == true {
            resets.append(devices[number].core.storage.record.completeQueryVersion)
          }
        case .verify(let user): toClient += session.authenticate(user, expiry: .max, now: clock)
        case .close: throw client.failure ?? SyncError(.unavailable, "The server closed.")
        }
      }
      if let failure = client.failure { throw failure }
      toServer += try client.poll(&devices[number].core)
      rounds += 1
      if rounds == 1_000 { throw SyncError(.unavailable, "There is no end.") }
    } while !toServer.isEmpty
  }

  /// Two rounds: what the last device has written reaches the first one.
  public mutating func syncAll() throws(SyncError) {
    for _ in 0..<2 {
      for number in devices.indices { try sync(number) }
    }
  }

  /// A device sends no more of one object.
  public mutating func limitChanges(of number: Int, to bytes: Int) {
    devices[number].core.changeBytes = bytes
  }

  /// No object may be larger.
  public mutating func limitObjects(to bytes: Int) { server.objectBytes = bytes }

  public mutating func backUp() { backup = server.storage }

  /// The server goes back to the backup, as another history.
  public mutating func restore() throws(SyncError) {
    guard var storage = backup else { return }
    epoch += 1
    storage.startNewEpoch(epoch)
    server = try ServerCore(storage: storage, isSchemaOpen: true)
  }

  /// The server forgets what it may, and does not wait for clients that were not seen since then.
  public mutating func trim(
    expiringAll: Bool, removingExpired: Bool = false
  ) throws(SyncError) {
    try server.trim(
      expiry: expiringAll ? clock + 1 : 0, removal: removingExpired ? clock + 1 : 0)
  }

  /// Another user rule, or another filter: what all clients see is evaluated anew.
  public mutating func hide(owner: Int64?, from number: Int) throws(SyncError) {
    server.storage.hiddenOwners[Text("user \(number)")] = owner
    for device in devices { server.reevaluate(device.id) }
    try server.flush()
  }
}

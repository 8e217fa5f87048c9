import SyncProtocol
import TestSupport

/// One run of clients and a server that a seed repeats: programs write, frames are late, lost,
/// doubled and out of order, clients and the server crash, clocks are off, subscriptions change,
/// marks are trimmed, backups are restored. At the end everything is delivered and compared.
public struct ConvergenceRun {
  /// What a run comes to.
  public struct Outcome: Sendable {
    /// The first thing that was wrong.
    public var finding: String?
    /// How many batches the server merged.
    public var batches = 0
    /// How many times a client had to start over.
    public var rebases = 0
    /// How many changes of objects the server refused.
    public var refusals = 0
    /// How often it forgot marks that it had.
    public var trims = 0
  }

  /// What happens seldom unless a run makes it a habit.
  struct Habits {
    /// Of 100 numbers that programs write so many are not allowed, beside those that are by chance.
    var refusedPercent = 0
    /// Of so many steps one trims, beside those that do by chance.
    var stepsBetweenTrims: Int?

    static let none = Habits()

    init() {}

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15)
      refusedPercent = [0, 0, 3, 15][random.below(4)]
      stepsBetweenTrims = [nil, nil, 30, 8][random.below(4)]
    }
  }

  var random: SeededGenerator
  var devices: [Device] = []
  var server: ServerCore<SimulatedServerStorage>
  var sessions: [Int: ServerSession] = [:]
  var model = MergeModel()
  var clock: UInt64 = 1_700_000_000_000
  var backup: (SimulatedServerStorage, MergeModel)?
  var epoch: UInt64 = 1
  /// Up to where marks of removals may have been forgotten.
  private var passed = ServerVersion.zero
  var finding: String?
  var rebases = 0
  var refusals = 0
  private var trims = 0
  /// Objects that clients had of the server when a backup was restored that lacks them.
  var givenBack: Set<ObjectID> = []
  /// Programs of whose transactions a client had half when a backup was restored.
  var halved: Set<Int> = []
  /// The same by the device whose file was put back, until that has seen a whole one.
  var halves: [Int: Set<Int>] = [:]
  /// Places of elements that clients have given back to a server that lacked them.
  var recoveredPlaces: Set<PlaceName> = []
  /// The bytes of all batches that were made.
  var batches: [ClientID: [UInt64: [UInt8]]] = [:]
  let keys: Int
  var hasLoss: Bool
  let isFixed: Bool
  let isTraced: Bool
  /// Whether downloads come in small slices, users may see more and less, and queries follow links.
  let isVaried: Bool
  private var variety: SeededGenerator
  private let habits: Habits
  private var habitual: SeededGenerator
  /// A defect that the run must find.
  let bug: PlantedBug?
  /// Whether files of devices go back to earlier states.
  let goesBack: Bool
  var saved: [Int: Device] = [:]
  /// When programs of devices become newer ones.
  private var upgrading: SeededGenerator
  /// When devices begin anew with seeds, if they do.
  var seeding: SeededGenerator?
  var mergedLives = MergedLives()
  /// What the server has merged and not made durable.
  var unflushed: [Merge] = []

  private init(
    seed: UInt64, isTraced: Bool, bug: PlantedBug?, goesBack: Bool, hasSeeds: Bool,
    _ habits: Habits
  ) throws(SyncError) {
    self.goesBack = goesBack
    seeding = hasSeeds ? SeededGenerator(seed: seed ^ 0x2545_f491) : nil
    self.isTraced = isTraced
    self.bug = bug
    self.habits = habits
    habitual = SeededGenerator(seed: seed ^ 0x5bd1_e995)
    upgrading = SeededGenerator(seed: seed ^ 0x7f4a_7c15)
    isVaried = seed % 3 == 0
    variety = SeededGenerator(seed: ~seed)
    random = SeededGenerator(seed: seed)
    keys = [2, 4, 9][random.below(3)]
    hasLoss = random.below(3) > 0
    isFixed = random.below(4) == 0
    var storage = SimulatedServerStorage(epoch: 1)
    storage.losesCommits = bug == .losesCommits
    server = try ServerCore(storage: storage, isSchemaOpen: true)
    _ = server.addClasses(LabClasses.classes(isNew: !isFixed))
    try server.flush()
    server.isSchemaOpen = !isFixed
    let skews: [Int64] = [0, 0, 0, 20_000, -20_000, 3_600_000, -86_400_000]
    for number in 0..<(2 + random.below(3)) {
      let skew = skews[random.below(skews.count)]
      devices.append(Device(number: number, isNew: random.below(3) == 0, skew: skew))
      // Batches of a few objects where programs write much before they are connected.
      if seed % 2 == 0 { devices[number].core.wantedBatchBytes = 300 }
      subscribe(number)
    }
  }

  /// Runs one seed, and prints what happens if it is to be traced.
  ///
  /// - Parameters:
  ///   - hasHabits: whether the seed may choose that much is refused and trimmed.
  ///   - goesBack: whether files of devices go back to earlier states.
  ///   - hasSeeds: whether devices begin anew with copies of the files of others.
  public static func run(
    seed: UInt64, isTraced: Bool = false, bug: PlantedBug? = nil, hasHabits: Bool = true,
    goesBack: Bool = false, hasSeeds: Bool = false
  ) -> Outcome {
    do {
      if seed % 8 == 0, !goesBack, let finding = try ListRun.run(seed: seed) {
        return Outcome(finding: "seed \(seed): \(finding)")
      }
      let habits = hasHabits ? Habits(seed: seed) : .none
      var run = try ConvergenceRun(
        seed: seed, isTraced: isTraced, bug: bug, goesBack: goesBack, hasSeeds: hasSeeds,
        habits)
      let steps = [60, 150, 400][run.random.below(3)]
      let busy = [25, 50, 75][run.random.below(3)]
      for _ in 0..<steps where run.finding == nil { try run.step(busy: busy) }
      if run.finding == nil { try run.finish() }
      return Outcome(
        finding: run.finding.map { "seed \(seed): \($0)" }, batches: run.model.batches,
        rebases: run.rebases, refusals: run.refusals, trims: run.trims)
    } catch {
      return Outcome(finding: "seed \(seed): \(error)")
    }
  }

  mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

  mutating func subscribe(_ number: Int) {
    var wanted = [Subscription(name: "pairs", type: LabClasses.pair, query: "")]
    if chance(50) {
      wanted.append(Subscription(type: LabClasses.item, query: ""))
    } else {
      for owner in 0..<3 where chance(50) {
        wanted.append(Subscription(type: LabClasses.item, query: Text("owner == \(owner)")))
      }
    }
    if isVaried && variety.below(3) == 0 {
      wanted = Array(wanted.prefix(1))
      let query = Text("link.owner == \(variety.below(3))")
      wanted.append(Subscription(type: LabClasses.item, query: query))
    }
    devices[number].core.subscribe(to: wanted)
    do {
      try devices[number].core.storage.commit()
    } catch {
      devices[number].core.storage.rollback()
    }
  }

  private mutating func step(busy: Int) throws(SyncError) {
    if isVaried && variety.below(60) == 0 { try changeRole(variety.below(devices.count)) }
    if let steps = habits.stepsBetweenTrims, habitual.below(steps) == 0 {
      try trim()
    }
    clock += UInt64(1 + random.below(50))
    let number = random.below(devices.count)
    if goesBack && variety.below(25) == 0 { goBack(number) }
    if upgrading.below(100) == 0 { upgrade(upgrading.below(devices.count)) }
    if seeding?.below(6) == 0 { beginAnew(number) }
    if chance(busy) {
      var program = Program(
        random: SeededGenerator(seed: random.next()), now: devices[number].now(clock),
        refusedPercent: habits.refusedPercent)
      let before = devices[number].core.storage.record.clock.latest
      program.transact(&devices[number], keys: keys)
      trace(commitOf: number, after: before)
      return
    }
    switch random.below(200) {
    case 0, 1, 2: devices[number].isAway.toggle()
    case 3..<8: crash(number)
    case 8, 9: try crashServer()
    case 10: try restoreBackup()
    case 11: backup = (server.storage, model)
    case 12..<20: try trim()
    case 20..<24: subscribe(number)
    case 24, 25: server.storage.failsNextCommit = true
    case 26, 27: devices[number].core.storage.failsNextCommit = true
    default: try exchange(number)
    }
    if devices[number].isAway { disconnect(number) }
  }

  /// The process dies: what was not committed is gone, and so is the connection.
  mutating func crash(_ number: Int) {
    trace("device \(number): crash")
    do {
      try devices[number].core.storage.reopen()
    } catch {
      finding = "the file of device \(number) could not be read: \(error)"
    }
    open(number)
    disconnect(number)
  }

  /// As a process does that opens the file.
  mutating func open(_ number: Int) {
    devices[number].session = nil
    devices[number].interrupted = nil
    guard goesBack else {
      _ = devices[number].core.storage.record.renewWriter(clock, isLogged: false)
      return
    }
    let seed = 1 + UInt64(variety.below(Int(ClientID.writerCount)))
    _ = devices[number].core.storage.record.renewWriter(seed, isLogged: false)
    devices[number].core.storage.numberSeed = seed
  }

  /// The device's file is saved as it is, or put in the place of what it has become since. What was
  /// written since and not acknowledged is gone with that.
  private mutating func goBack(_ number: Int) {
    guard let earlier = saved[number] else {
      crash(number)
      saved[number] = devices[number]
      return
    }
    trace("device \(number): goes back")
    let refused = devices[number].refused
    // It may have been the only one that had it.
    givenBack = []
    devices[number].core.storage = earlier.core.storage
    devices[number].promises = earlier.promises
    devices[number].refused = refused
    noteHalves(putBack: number)
    open(number)
    disconnect(number)
    if variety.below(2) == 0 { saved[number] = nil }
  }

  mutating func disconnect(_ number: Int) {
    if let session = devices[number].session { devices[number].interrupted = session.interrupted }
    devices[number].session = nil
    devices[number].toServer = []
    devices[number].toClient = []
    sessions[number] = nil
  }

  private mutating func crashServer() throws(SyncError) {
    trace("server: crash")
    do {
      try server.storage.reopen()
    } catch {
      finding = "the server's storage could not be read: \(error)"
    }
    unflushed = []
    try server.reload()
    for number in devices.indices { disconnect(number) }
  }

  /// A user may see more or less than before.
  private mutating func changeRole(_ number: Int) throws(SyncError) {
    guard flush() else { return }
    let owner = variety.below(4)
    trace("device \(number): may not see items of \(owner)")
    server.storage.hiddenOwners[devices[number].user] = owner == 3 ? nil : Int64(owner)
    repeat {
      if server.files[devices[number].id] != nil { server.reevaluate(devices[number].id) }
    } while !flush()
  }

  private mutating func restoreBackup() throws(SyncError) {
    guard let (saved, old) = backup else { return }
    trace("a backup of version \((try? saved.head().version.rawValue) ?? 0) is restored")
    var storage = saved
    epoch += 1
    storage.startNewEpoch(epoch)
    server = try ServerCore(storage: storage, isSchemaOpen: server.isSchemaOpen)
    model = old
    passed = server.head.floor
    unflushed = []
    givenBack = []
    noteHalves()
    for number in devices.indices {
      disconnect(number)
      let core = devices[number].core
      // What was acknowledged since is as the backup has it, but for objects that it lacks.
      devices[number].promiseUnacknowledged()
      self.saved[number]?.promiseUnacknowledged()
      let names = core.storage.record.names
      for id in core.storage.objects where core.exists(id) && !core.storage.record.isSeed {
        // Whose program may have deleted it before it was sent.
        if core.storage.state(of: id)?.isUnanswered == true { continue }
        guard let type = server.head.names.find(names[id.type]) else { continue }
        let object = ObjectID(type: type, key: id.key)
        if model.generation(of: object) == .none { givenBack.insert(object) }
      }
    }
  }

  private mutating func trim() throws(SyncError) {
    guard flush() else { return }
    let before = server.head.floor
    do {
      try server.trim(expiry: chance(5) ? clock : 0)
    } catch {
      return try crashServer()
    }
    if server.head.floor > before { trims += 1 }
    trace("trim up to \(server.head.floor.rawValue)")
    notePassed(isRaised: server.head.floor > before)
    let floor = min(passed, server.head.floor)
    for id in model.livingObjects {
      if let object = try server.storage.object(id) { model.trim(object, id, floor) }
    }
    for id in model.deadObjects where try server.storage.object(id) == nil {
      model.forget(id)
      // Its generations begin anew, so what was written in an old one cannot be told apart.
      for device in devices.indices { devices[device].refused[id] = .max }
      givenBack.remove(id)
    }
  }

  /// Where all clients have come, by what they say themselves, but for those that have to come
  /// anew: marks of removals that are newer must not be forgotten.
  private mutating func notePassed(isRaised: Bool) {
    let waited = devices.filter { device in
      guard let file = server.files[device.id] else { return false }
      let isThere = device.core.storage.record.epoch == epoch
      // Who has gone back has to come anew as well.
      let isBehind = device.core.storage.record.cursor < file.cursor
      return isThere && !file.isExpired && !file.needsRebase && !isBehind
    }
    for device in waited
    where isRaised && device.core.storage.record.cursor < server.head.floor {
      finding = finding ?? "marks were forgotten that device \(device.number) has not passed"
    }
    passed = max(passed, waited.map(\.core.storage.record.cursor).min() ?? server.head.version)
  }
}

import Foundation
import ObjectStore
import Platform
import Storage
import TestSupport

/// One life of one file: random transactions on it and on a model, with everything that may happen
/// between them. Any disagreement is thrown with the seed that repeats it.
public final class ModelRun {
  public struct Settings: Sendable {
    public var seed: UInt64
    public var durability: Durability
    public var limits: TreeLimits
    public var sizes: ObjectOperations.Sizes
    /// Compaction and merging of the history while others are at work.
    public var hasBackgroundWork = false
    public var mergesHistory = true
    /// What the file starts with.
    public var schema = LabSchema.everything
    /// Closing and opening the file, which needs it to be nobody else's.
    public var reopens = true
    /// How many queries are tried on a version.
    public var queries = 4
    /// What the file is encrypted with.
    public var key: EncryptionKey?

    /// Every seed gives another combination.
    public init(seed: UInt64) {
      self.seed = seed
      let all = Durability.allCases
      durability = all[Int(seed % UInt64(all.count))]
      let shapes: [(TreeLimits, ObjectOperations.Sizes)] = [
        (
          TreeLimits(clusterRows: 4, innerChildren: 4, listElements: 4, pairEntries: 4),
          ObjectOperations.Sizes(objects: 60, listElements: 12)
        ),
        (
          TreeLimits(clusterRows: 17, innerChildren: 5, listElements: 9, pairEntries: 7),
          ObjectOperations.Sizes(objects: 110, listElements: 30)
        ),
        (.standard, ObjectOperations.Sizes(objects: 150, listElements: 40)),
      ]
      (limits, sizes) = shapes[Int(seed / 5 % 3)]
      if seed % 20 == 0 {
        // Few classes with many objects.
        schema = LabSchema.small
        sizes = ObjectOperations.Sizes(objects: 1500, listElements: 300)
      }
      hasBackgroundWork = seed % 4 == 3
      mergesHistory = seed % 7 != 6
      key = seed % 3 == 1 ? .lab : nil
    }
  }

  public struct Counts: Sendable, CustomStringConvertible {
    public var operations = 0
    public var commits = 0
    public var cancellations = 0
    public var reopenings = 0
    public var pinsChecked = 0
    public var histories = 0
    public var queries = 0
    public var schemaChanges = 0
    public var verifications = 0

    public init() {}

    public static func += (total: inout Counts, more: Counts) {
      total.operations += more.operations
      total.commits += more.commits
      total.cancellations += more.cancellations
      total.reopenings += more.reopenings
      total.pinsChecked += more.pinsChecked
      total.histories += more.histories
      total.queries += more.queries
      total.schemaChanges += more.schemaChanges
      total.verifications += more.verifications
    }

    public var description: String {
      "\(operations) operations, \(commits) commits, \(cancellations) cancelled,"
        + " \(reopenings) reopenings, \(pinsChecked) pins and \(histories) histories checked,"
        + " \(queries) queries, \(schemaChanges) schema changes, \(verifications) verifications"
    }
  }

  struct Pinned {
    var snapshot: Snapshot
    var model: StoreModel
    var watched: [WatchedResults]
  }

  public let settings: Settings
  /// Who is to hear what each version holds.
  public var readers: ConcurrentReaders?
  public internal(set) var counts = Counts()
  let path: String
  let system: any System
  public private(set) var database: Database!
  var schemas = SchemaCache()
  var operations: ObjectOperations
  var wanted: SchemaDescription
  var pins: [Pinned] = []
  /// What each version touched, for versions after the oldest pin.
  var touched: [Version: Set<StoreModel.Touch>] = [:]
  var chance: SeededGenerator

  public init(_ settings: Settings, path: String, system: any System) throws {
    self.settings = settings
    self.path = path
    self.system = system
    operations = ObjectOperations(
      seed: settings.seed, model: StoreModel(), sizes: settings.sizes)
    chance = SeededGenerator(seed: ~settings.seed)
    wanted = settings.schema
    try open()
  }

  func close() { database = nil }

  func open() throws {
    var options = DatabaseOptions()
    options.durability = settings.durability
    options.compactsInBackground = settings.hasBackgroundWork
    options.relaxedFlushDelayMilliseconds = settings.hasBackgroundWork ? 3 : 3_600_000
    options.mappingReservation = 1 << 28
    options.encryptionKey = settings.key
    if settings.mergesHistory { unsafe options.mergeHistory = ChangeSet.mergeEncoded }
    schemas = SchemaCache()
    database = try Database.open(path: path, options: options, system: system)
  }

  func happens(onceIn times: Int) -> Bool { chance.below(times) == 0 }

  /// Goes on until `operations` have been made in this life.
  public func run(operations: Int) throws {
    do {
      if self.operations.model.schema.classes.isEmpty { try applySchema() }
      while counts.operations < operations { try turn() }
      try checkAllPins()
      try verify()
    } catch {
      throw Disagreement("seed \(settings.seed), operation \(counts.operations): \(error)")
    }
  }

  private func applySchema() throws {
    try write { run, transaction in
      try run.operations.apply(run.wanted, transaction)
      run.counts.schemaChanges += 1
    }
  }

  private func turn() throws {
    if happens(onceIn: 25) {
      LabSchema.grow(&wanted, &chance)
      try applySchema()
    }
    let count = 1 + chance.below(happens(onceIn: 4) ? 60 : 8)
    try write { run, transaction in
      for _ in 0..<count {
        try run.operations.step(transaction)
        run.counts.operations += 1
      }
    }
    if happens(onceIn: 3) { try pin() }
    if pins.count > 5 || (!pins.isEmpty && happens(onceIn: 6)) {
      try check(pin: pins.remove(at: chance.below(pins.count)))
    }
    try happenings()
  }

  private func happenings() throws {
    if happens(onceIn: 8) { try checkNewest() }
    if happens(onceIn: 15) { try verify() }
    if happens(onceIn: 30) { try compact() }
    if settings.durability == .relaxed || settings.durability == .grouped,
      happens(onceIn: 10)
    {
      try database.flush()
      try require(database.durableVersion == database.newestVersion, "a flush left versions out")
    }
    if settings.reopens, happens(onceIn: 40) { try reopen() }
  }

  // MARK: Writing

  /// A transaction: mostly committed, sometimes cancelled, then nothing may have happened.
  private func write(
    _ body: (ModelRun, ObjectTransaction) throws -> Void
  ) throws {
    let before = operations.model
    let transaction = try begin()
    noteVersions(upTo: transaction.baseVersion)
    let objects = try ObjectTransaction(transaction, schemas: schemas, limits: settings.limits)
    operations.model.touched = []
    try body(self, objects)
    if happens(onceIn: 6) { try checkWithin(objects) }
    if happens(onceIn: 10) {
      try require(try database.tryBeginWrite() == nil, "two writers at once")
      try checkAllPins(removing: false)
    }
    if happens(onceIn: 8), !before.schema.classes.isEmpty {
      transaction.cancel()
      operations.model = before
      counts.cancellations += 1
      return
    }
    try commit(objects, transaction, after: before)
  }

  private func commit(
    _ objects: ObjectTransaction, _ transaction: WriteTransaction, after before: StoreModel
  ) throws {
    readers?.expect(operations.model, at: transaction.version)
    let snapshot = try objects.commit()
    counts.commits += 1
    if snapshot.version == transaction.baseVersion {
      try require(
        operations.model.touched.isEmpty && before.tables.map(\.keys) == keysOfTables,
        "a transaction with changes made no version")
    } else {
      try require(
        snapshot.version == transaction.version, "version \(snapshot.version) after a commit")
      touched[snapshot.version] = operations.model.touched
    }
    operations.model.touched = []
  }

  private var keysOfTables: [[ObjectKey]] { operations.model.tables.map(\.keys) }

  /// A transaction, got in one of the ways there are.
  private func begin() throws -> WriteTransaction {
    switch chance.below(4) {
    case 0:
      if let transaction = try database.tryBeginWrite() { return transaction }
      return try database.beginWrite()
    case 1:
      let turn = DispatchSemaphore(value: 0)
      let handed = HandOver()
      try database.beginWrite { result in
        handed.result = result
        turn.signal()
      }
      turn.wait()
      return try handed.take().get()
    default: return try database.beginWrite()
    }
  }

  /// Versions that compaction made touched nothing.
  func noteVersions(upTo version: Version) {
    var next = version
    while touched[next] == nil, next > 1 {
      touched[next] = []
      next = next.previous
    }
  }
}

/// Where a transaction waits for the thread that asked for it. The semaphore orders the two.
private final class HandOver: @unchecked Sendable {
  // Sendable: the semaphore's signal comes after the one write, its wait before the one read.
  var result: Result<WriteTransaction, StorageError>?

  /// The thread that handed it over may hold on to this for a while.
  func take() -> Result<WriteTransaction, StorageError> {
    defer { result = nil }
    return result!
  }
}

import Platform
import Storage

extension Actor {
  func operation(_ database: Database, _ history: FileHistory) throws(StorageError) {
    let operation = plan.operation(&random)
    switch database.options.readOnly ? operation.asReader : operation {
    case .write: try write(database, history)
    case .writeLater: try writeLater(database, history)
    case .cancel: try cancelled(database, history)
    case .read: try read(database, history)
    case .readAgain: try readAgain()
    case .release: letGo()
    case .flush: try flush(database, history)
    case .compact: try compact(database)
    case .listen: try listen(database)
    case .reap: _ = inside { database.reapPins() }
    }
  }

  // MARK: Reading

  /// Pins the newest version and checks it; keeps it pinned or not.
  func read(_ database: Database, _ history: FileHistory) throws(StorageError) {
    let (floor, drops) = (history.visible, history.drops)
    let snapshot = try inside { () throws(StorageError) in try database.pinNewest() }
    simulation.outcome.reads += 1
    let number = try check(snapshot, history)
    machine.trace("reads \(number) in version \(snapshot.version)")
    object(history.objection(to: number, in: snapshot.version, floor: floor))
    history.saw(number)
    let durable = inside { database.durableVersion }
    if durable >= snapshot.version, !plan.isInMemory {
      history.isDurable(number)
      if simulation.keepsSlotRules {
        let inode = machine.inodes.first { $0.number == database.fileIdentity.inode }
        object(inode.flatMap { SlotRules(inode: $0).objection(toDurable: snapshot.version) })
      }
    }
    if random.below(2) == 0, held.count < 4 {
      held.append(Held(snapshot, number, history, drops: drops))
    } else {
      inside { snapshot.release() }
    }
  }

  func object(_ objection: String?) {
    if let objection { report(objection) }
  }

  /// Returns the commit that made the snapshot's content, which must be as the commit made it.
  func check(_ snapshot: Snapshot, _ history: FileHistory) throws(StorageError) -> Int {
    let number = try ChainModel.number(snapshot.source, snapshot.root)
    try compare(snapshot, number, history)
    return number
  }

  private func compare(
    _ snapshot: Snapshot, _ number: Int, _ history: FileHistory
  ) throws(StorageError) {
    guard let commit = history[number] else { return }
    let difference: String?
    do throws(StorageError) {
      difference = try ChainModel.mismatch(snapshot.source, snapshot.root, commit.leaves)
    } catch {
      machine.trace("reading commit \(number) in version \(snapshot.version) failed")
      if history.isDoubtful(number) { return }
      throw error
    }
    if let difference, !history.isDoubtful(number) {
      report(
        "version \(snapshot.version) of \(history.name) is not commit \(number): \(difference)")
    }
  }

  /// What is pinned stays as it was.
  func readAgain() throws(StorageError) {
    for held in held where !held.isDoubtful {
      machine.point(.other)
      try compare(held.snapshot, held.number, held.history)
    }
    if var copy = held.randomElement(using: &random), held.count < 6, !copy.isDoubtful {
      copy.snapshot = try inside { () throws(StorageError) in try copy.snapshot.duplicate() }
      held.append(copy)
    }
  }

  func letGo() {
    guard !held.isEmpty else { return }
    let snapshot = held.remove(at: random.below(held.count)).snapshot
    inside { snapshot.release() }
  }

  // MARK: Writing

  func write(_ database: Database, _ history: FileHistory) throws(StorageError) {
    let transaction: WriteTransaction
    if random.below(5) == 0 {
      let tried = try inside { () throws(StorageError) in try database.tryBeginWrite() }
      guard let tried else { return }
      transaction = tried
    } else {
      transaction = try inside { () throws(StorageError) in try database.beginWrite() }
    }
    try commit(transaction, history)
  }

  /// Takes the role in the background, and commits there.
  func writeLater(_ database: Database, _ history: FileHistory) throws(StorageError) {
    let box = Unchecked(value: self)
    let file = Unchecked(value: history)
    process.callsInside += 1
    var isLeft = false
    defer { if !isLeft { process.callsInside -= 1 } }
    try inside { () throws(StorageError) in
      _ = try database.beginWrite { result in
        let (actor, history) = (box.value, file.value)
        defer { actor.process.callsInside -= 1 }
        do throws(StorageError) {
          try actor.commit(try result.get(), history)
        } catch {
          if error.code != .closed { actor.tolerate(error, history) }
        }
      }
    }
    isLeft = true
  }

  func commit(_ transaction: WriteTransaction, _ history: FileHistory) throws(StorageError) {
    if let other = history.writer {
      machine.report("\(process.name) got the writer role while \(other.name) had it")
    }
    history.writer = process
    process.callsInside += 1
    defer {
      process.callsInside -= 1
      if history.writer === process { history.writer = nil }
    }
    let base = try ChainModel.number(transaction.source, transaction.root)
    machine.trace("writes on \(base) in version \(transaction.baseVersion)")
    object(
      history.objection(to: base, in: transaction.baseVersion, floor: history.visible))
    guard let parent = history[base] else { return }
    history.saw(base)
    let changes = ChainModel.change(parent.leaves, wordsMax: plan.wordsMax, random: &random)
    var leaves = parent.leaves
    if leaves.isEmpty { leaves = Array(repeating: .init(), count: ChainModel.leafCount) }
    for change in changes { leaves[change.index] = change.leaf }
    let durability = transaction.database.options.durability
    let number = history.begin(on: base, leaves: leaves, durability: durability)
    try ChainModel.apply(changes, number: number, to: transaction)
    machine.point(.other)
    history.writer = nil
    try finish(transaction, number, history)
  }

  private func finish(
    _ transaction: WriteTransaction, _ number: Int, _ history: FileHistory
  ) throws(StorageError) {
    let snapshot: Snapshot
    let drops = history.drops
    do throws(StorageError) {
      snapshot = try inside { () throws(StorageError) in
        try transaction.commit(history: [1, 2, 3])
      }
    } catch {
      let isUndone = error.cause?.call == .write || error.cause?.call == .fallocate
      history.fail(number, isUndone ? .failed : .uncertain)
      throw error
    }
    simulation.outcome.commits += 1
    let durability = history[number]!.durability
    machine.trace("committed \(number) as version \(snapshot.version), \(durability)")
    history.acknowledge(number)
    _ = try check(snapshot, history)
    if random.below(3) == 0 { notify(snapshot.database, snapshot.version, number, history) }
    if random.below(4) == 0, held.count < 4 {
      held.append(Held(snapshot, number, history, drops: drops))
    } else {
      inside { snapshot.release() }
    }
  }

  private func notify(
    _ database: Database, _ version: Version, _ number: Int, _ history: FileHistory
  ) {
    guard !plan.isInMemory else { return }
    let file = Unchecked(value: history)
    inside {
      database.whenDurable(version) { result in
        if case .success = result { file.value.isDurable(number) }
      }
    }
  }

  func cancelled(_ database: Database, _ history: FileHistory) throws(StorageError) {
    let transaction = try inside { () throws(StorageError) in try database.beginWrite() }
    inside {
      history.writer = process
      machine.point(.other)
      history.writer = nil
      transaction.cancel()
    }
  }

  func flush(_ database: Database, _ history: FileHistory) throws(StorageError) {
    let snapshot = try inside { () throws(StorageError) in try database.pinNewest() }
    let number = try check(snapshot, history)
    inside { snapshot.release() }
    try inside { () throws(StorageError) in try database.flush() }
    machine.trace("flushed \(number)")
    if !plan.isInMemory { history.isDurable(number) }
  }

  func compact(_ database: Database) throws(StorageError) {
    let force = random.below(3) == 0
    _ = try inside { () throws(StorageError) in try database.compactStep(force: force) }
  }

  func listen(_ database: Database) throws(StorageError) {
    let listener = try inside { () throws(StorageError) in try database.addCommitListener {} }
    process.pause(nanoseconds: UInt64(random.below(3_000_000)))
    inside { withExtendedLifetime(listener) {} }
  }

  // MARK: The end

  /// Opens the file when everybody has gone, and looks at every byte.
  func inspect() {
    guard let history = open(mayRead: false), let database else {
      if machine.findings.isEmpty { report("the file cannot be opened at the end") }
      return
    }
    do throws(StorageError) {
      let report = try database.verify()
      if let finding = report.findings.first { self.report("verify says: \(finding)") }
      try write(database, history)
    } catch {
      tolerate(error, history)
    }
    for held in held { held.snapshot.release() }
  }
}

/// Carries something into a closure that runs while its thread has the baton.
struct Unchecked<Value>: @unchecked Sendable {
  // Sendable: only whoever has the baton uses it.
  let value: Value
}

import ObjectStore
import Storage
import TestSupport

/// Damages files that hold objects and reads what is left of them.
public final class DamageLab {
  public struct Outcome: Sendable {
    /// Files that were read as if nothing had happened.
    public var correct = 0
    /// Files that an error was thrown about.
    public var refused = 0
    public var bad: [String] = []
  }

  public let seed: UInt64
  public internal(set) var outcome = Outcome()
  private var random: SeededGenerator
  private(set) var specimens: [Specimen] = []
  static let path = "/damaged.realm"

  /// A whole file and what its versions hold.
  struct Specimen {
    var bytes: [UInt8]
    var models: [Version: StoreModel]
    var limits: TreeLimits
  }

  private let key: EncryptionKey?

  public init(seed: UInt64, key: EncryptionKey? = nil) throws {
    self.seed = seed
    self.key = key
    random = SeededGenerator(seed: seed)
    let deep = TreeLimits(clusterRows: 4, innerChildren: 4, listElements: 4, pairEntries: 4)
    specimens = [
      try specimen(LabSchema.everything, deep, objects: 12),
      try specimen(LabSchema.everything, .standard, objects: 8),
      try specimen(LabSchema.small, deep, objects: 40),
    ]
  }

  static var options: DatabaseOptions {
    var options = DatabaseOptions()
    options.compactsInBackground = false
    options.mappingReservation = 1 << 22
    return options
  }

  private var options: DatabaseOptions {
    var options = Self.options
    options.encryptionKey = key
    return options
  }

  private func quietSystem() -> SimulatedSystem {
    let system = SimulatedSystem()
    system.recordsCalls = false
    return system
  }

  private func specimen(
    _ schema: SchemaDescription, _ limits: TreeLimits, objects count: Int
  ) throws -> Specimen {
    let system = quietSystem()
    let database = try Database.open(path: Self.path, options: options, system: system)
    var operations = ObjectOperations(
      seed: random.next(), model: StoreModel(),
      sizes: ObjectOperations.Sizes(objects: count, listElements: 14))
    var models: [Version: StoreModel] = [1: StoreModel()]
    let schemas = SchemaCache()
    for round in 0..<6 {
      let transaction = try database.beginWrite()
      let objects = try ObjectTransaction(transaction, schemas: schemas, limits: limits)
      if round == 0 { try operations.apply(schema, objects) }
      for _ in 0..<(round == 0 ? count * 16 : 25) { try operations.step(objects) }
      let snapshot = try objects.commit()
      models[snapshot.version] = operations.model
    }
    return Specimen(bytes: system.contents(of: Self.path), models: models, limits: limits)
  }

  // MARK: Bytes

  /// Damages the bytes of `count` files, anywhere. Each must be read and written correctly or
  /// refused.
  public func damageBytes(_ count: Int) throws {
    for number in 0..<count {
      let specimen = specimens[random.below(specimens.count)]
      var bytes = specimen.bytes
      for _ in 0...random.below(3) { FileDamage.apply(&bytes, &random) }
      let system = quietSystem()
      system.install(bytes, at: Self.path)
      do {
        let database = try Database.open(path: Self.path, options: options, system: system)
        let snapshot = try database.pinNewest()
        guard let model = specimen.models[snapshot.version] else {
          throw Disagreement("version \(snapshot.version) came out of nowhere")
        }
        var reader = StoreReader(snapshot, model, seed: random.next())
        try reader.readEverything()
        try write(database, specimen, model, isWhole: reader.errors.isEmpty)
        if let error = reader.errors.first { throw error }
        try compare(snapshot, model)
        outcome.correct += 1
      } catch let error as StorageError {
        outcome.refused += 1
        if error.path != Self.path || error.message.isEmpty { report(number, "\(error)") }
      } catch {
        report(number, "\(error)")
      }
    }
  }

  /// Writes to what is left. An error ends the transaction; without one, the changes are there and
  /// all else is as it was, if it was.
  private func write(
    _ database: Database, _ specimen: Specimen, _ model: StoreModel, isWhole: Bool
  ) throws {
    if model.schema.classes.isEmpty { return }
    let transaction = try database.beginWrite()
    var operations = ObjectOperations(
      seed: random.next(), model: model,
      sizes: ObjectOperations.Sizes(objects: 30, listElements: 14))
    do {
      let objects = try ObjectTransaction(
        transaction, schemas: SchemaCache(), limits: specimen.limits)
      for _ in 0..<12 { try operations.step(objects) }
      let snapshot = try objects.commit()
      if isWhole { try compare(snapshot, operations.model) }
    } catch {
      transaction.cancel()
      throw error
    }
  }

  private func compare(_ snapshot: Snapshot, _ model: StoreModel) throws {
    let schema = try SchemaCache().schema(snapshot.root, in: snapshot.source).description
    try StoreComparison.requireEqual(
      model, StoreView(source: snapshot.source, root: snapshot.root, schema: schema))
    if let finding = snapshot.storeFindings().first { throw Disagreement("\(finding)") }
  }

  // MARK: Nodes

  /// Puts a whole node of the file, or of an earlier version of it, in the place of another, with
  /// checksums that hold: what a lost write and a checksum's coincidence could leave. Reading may
  /// give another node's values, and must not do worse; a node of another kind is noticed when it
  /// is met.
  public func exchangeNodes(_ count: Int) throws {
    for number in 0..<count {
      let specimen = specimens[random.below(specimens.count)]
      let system = quietSystem()
      system.install(specimen.bytes, at: Self.path)
      let database = try Database.open(path: Self.path, options: options, system: system)
      let model = specimen.models[database.newestVersion]!
      let stale = try database.pinNewest()
      try changeMore(database, specimen, model)
      let exchange = try exchange(database, stale)
      let snapshot = try database.pinNewest()
      var reader = StoreReader(snapshot, model, seed: random.next())
      do {
        try reader.readEverything()
        try reader.advance(from: stale)
      } catch { report(number, "\(exchange): \(error)") }
      let findings = snapshot.storeFindings()
      if !reader.errors.isEmpty { outcome.refused += 1 } else { outcome.correct += 1 }
      // What no reading came across is found by the check.
      if !exchange.isPlausible, reader.errors.isEmpty, findings.isEmpty {
        report(number, "\(exchange): nobody noticed")
      }
    }
  }

  private struct Exchange: CustomStringConvertible {
    var old: NodeKind
    var new: NodeKind

    /// Whether the new node is of a kind that could stand in that place.
    var isPlausible: Bool {
      if old == new { return true }
      let vectors: Set<NodeKind> = [
        .listInner, .integerVector, .floatVector, .doubleVector, .fixedVector, .byteVector,
      ]
      let trees: [Set<NodeKind>] = [
        [.clusterInner, .cluster], [.pairInner, .pairLeaf], [.blob, .chunkedBlob], vectors,
      ]
      return trees.contains { $0.contains(old) && $0.contains(new) && ($0 != vectors || isList) }
    }

    /// One of the two is an inner node of a list, so that the other may be a leaf of one.
    private var isList: Bool { old == .listInner || new == .listInner }

    var description: String { "kind \(new.rawValue) in the place of kind \(old.rawValue)" }
  }

  private struct Found {
    var path: [Int]
    var node: Node
  }

  private func collect(
    _ reference: NodeReference, _ source: NodeSource, _ path: [Int], into found: inout [Found]
  ) throws {
    if reference.isNone { return }
    let node = try source.node(reference)
    found.append(Found(path: path, node: node))
    for index in 0..<node.referenceCount {
      try collect(node.reference(index), source, path + [index], into: &found)
    }
  }

  private func exchange(
    _ database: Database, _ stale: Snapshot
  ) throws -> Exchange {
    let transaction = try database.beginWrite()
    var nodes: [Found] = []
    try collect(transaction.root, transaction.source, [], into: &nodes)
    var donors: [Found] = []
    try collect(stale.root, stale.source, [], into: &donors)
    let victim = nodes[random.below(nodes.count)]
    if random.below(2) == 0 { donors = nodes }
    if random.below(2) == 0 { donors = donors.filter { $0.node.kind == victim.node.kind } }
    let donor = donors.isEmpty ? victim : donors[random.below(donors.count)]
    let copy = duplicate(donor.node, transaction.writer)
    if let last = victim.path.last {
      var parent = try transaction.writer.mutable(transaction.root)
      transaction.root = parent.reference
      for index in victim.path.dropLast() {
        let child = try transaction.writer.mutable(parent.node.reference(index))
        parent.setReference(index, child.reference)
        parent = child
      }
      parent.setReference(last, copy.reference)
    } else {
      transaction.root = copy.reference
    }
    let result = Exchange(old: victim.node.kind, new: donor.node.kind)
    _ = try transaction.commit(history: [])
    return result
  }

  /// A few changes, so that the version before is a stale one.
  private func changeMore(
    _ database: Database, _ specimen: Specimen, _ model: StoreModel
  ) throws {
    let transaction = try database.beginWrite()
    let objects = try ObjectTransaction(
      transaction, schemas: SchemaCache(), limits: specimen.limits)
    var operations = ObjectOperations(
      seed: random.next(), model: model,
      sizes: ObjectOperations.Sizes(objects: 30, listElements: 14))
    for _ in 0..<30 { try operations.step(objects) }
    _ = try objects.commit()
  }

  private func duplicate(_ node: Node, _ writer: NodeWriter) -> MutableNode {
    let copy = writer.make(
      kind: node.kind, width: node.width, flags: node.flags, referenceCount: node.referenceCount,
      count: node.count, auxiliary: node.auxiliary, dataSize: node.dataSize)
    for index in 0..<node.referenceCount { copy.setReference(index, node.reference(index)) }
    unsafe copy.data.copyMemory(from: node.data, byteCount: node.dataSize)
    return copy
  }

  func report(_ number: Int, _ message: String) {
    if outcome.bad.count < 20 { outcome.bad.append("seed \(seed), file \(number): \(message)") }
  }
}

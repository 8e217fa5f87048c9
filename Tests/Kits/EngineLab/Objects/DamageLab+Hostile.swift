import ObjectStore
import Storage
import TestSupport

extension DamageLab {
  /// Reads, checks, copies and writes hostile file `number`, in every way that there is. What it
  /// holds is up to its maker; each step may throw, and nothing else.
  ///
  /// - Parameters:
  ///   - lowest: nodes of lower kinds are left alone.
  ///   - say: hears what is about to be done, so that a death can be told about.
  public func readHostile(_ number: Int, lowest: UInt8 = 0, say: (String) -> Void = { _ in }) {
    var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    let specimen = specimens[random.below(specimens.count)]
    var file = HostileFile(specimen.bytes)
    var changes: [String] = []
    for _ in 0...random.below(3) {
      changes.append(HostileMutation.apply(&file, &random, lowest: lowest))
    }
    say("file \(number): \(changes.joined(separator: "; "))")
    let steps = HostileSteps(
      bytes: file.bytes, models: specimen.models, limits: specimen.limits, seed: random.next())
    let errors = steps.run { what in report(number, "\(changes): \(what)") }
    if errors == 0 { outcome.correct += 1 } else { outcome.refused += 1 }
  }

  /// Reads and writes files in which inner nodes count more below two of their children than there
  /// can be, such that the sums are right again when they overflow. Returns how many files.
  public func readOverflowingCounts() -> Int {
    var files = 0
    for specimen in specimens {
      let whole = HostileFile(specimen.bytes)
      for place in whole.nodes {
        guard let stride = Self.innerStride(whole.kind(place)) else { continue }
        let children = whole.referenceCount(place)
        // The first child's count becomes the largest there is in the second case.
        let count = whole.word(place.offset + whole.dataStart(place) + stride - 8)
        let additions: [(UInt64, UInt64)] = [
          (1 << 63, 1 << 63), (.max - count, count &+ 1), (1 << 62, 3 << 62),
        ]
        for (first, second) in additions where children > 1 {
          var file = whole
          func add(_ more: UInt64, to child: Int) {
            let slot = place.offset + file.dataStart(place) + (child + 1) * stride - 8
            file.set(slot, 0, file.word(slot) &+ more)
          }
          add(first, to: 0)
          add(second, to: children - 1)
          file.seal(place)
          let steps = HostileSteps(
            bytes: file.bytes, models: specimen.models, limits: specimen.limits,
            seed: UInt64(files), readsBeforeWriting: false)
          let errors = steps.run { report(files, "counts at \(place.offset): \($0)") }
          if errors == 0 { outcome.correct += 1 } else { outcome.refused += 1 }
          files += 1
        }
      }
    }
    return files
  }

  private static func innerStride(_ kind: NodeKind) -> Int? {
    switch kind {
    case .listInner: 8
    case .clusterInner: 16
    case .pairInner: 24
    default: nil
    }
  }
}

/// What is done to one hostile file.
struct HostileSteps {
  let bytes: [UInt8]
  let models: [Version: StoreModel]
  let limits: TreeLimits
  let seed: UInt64
  /// Whether changes are made only where the values are what they were: a program does not name
  /// what it has not read.
  var readsBeforeWriting = true

  /// Returns how many steps threw.
  func run(_ report: (String) -> Void) -> Int {
    let path = DamageLab.path
    let system = SimulatedSystem()
    system.recordsCalls = false
    system.install(bytes, at: path)
    var errors = 0
    func step(_ name: String, _ body: () throws -> Int) {
      do { errors += try body() } catch let error as StorageError {
        errors += 1
        if error.message.isEmpty { report("\(name): an error that says nothing") }
      } catch is Disagreement {
        // Other values than before: the maker's.
      } catch { report("\(name): \(error)") }
    }
    step("open") {
      let database = try Database.open(path: path, options: DamageLab.options, system: system)
      step("read") {
        let snapshot = try database.pinNewest()
        var reader = StoreReader(snapshot, models[snapshot.version] ?? StoreModel(), seed: seed)
        try reader.readEverything()
        return reader.errors.count
      }
      step("verify") { try database.verify().isSound ? 0 : 1 }
      step("check") { try database.pinNewest().storeFindings().count }
      step("space") {
        _ = try database.space()
        return 0
      }
      step("copy") {
        _ = try database.writeCompactCopy(to: "/copy.realm")
        return 0
      }
      step("write") {
        try write(database)
        return 0
      }
      step("write under an old pin") {
        // What is freed waits then, and is sorted into what waits already.
        let pinned = try database.pinNewest()
        defer { withExtendedLifetime(pinned) {} }
        for _ in 0..<2 { try write(database) }
        return 0
      }
      step("compact") {
        _ = try database.compactStep()
        return 0
      }
      return 0
    }
    return errors
  }

  private func write(_ database: Database) throws {
    let transaction = try database.beginWrite()
    do {
      let objects = try ObjectTransaction(transaction, schemas: SchemaCache(), limits: limits)
      let model = models[transaction.baseVersion] ?? StoreModel()
      // Without the classes that it knows, a program does not get as far as writing.
      let schema = try StoreRoot.schema(transaction.root, in: transaction.source)
      if schema != model.schema { return transaction.cancel() }
      if readsBeforeWriting {
        let view = StoreView(source: transaction.source, root: transaction.root, schema: schema)
        try StoreComparison.requireEqual(model, view)
      }
      var operations = ObjectOperations(
        seed: seed, model: model, sizes: ObjectOperations.Sizes(objects: 30, listElements: 14))
      for _ in 0..<12 where !model.schema.classes.isEmpty { try operations.step(objects) }
      _ = try objects.commit()
    } catch {
      transaction.cancel()
      throw error
    }
  }
}

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
}

/// What is done to one hostile file.
struct HostileSteps {
  let bytes: [UInt8]
  let models: [UInt64: StoreModel]
  let limits: TreeLimits
  let seed: UInt64

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
      // Nor does it name what it has not read: changes are made where the values are what they
      // were.
      let view = StoreView(source: transaction.source, root: transaction.root, schema: schema)
      try StoreComparison.requireEqual(model, view)
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

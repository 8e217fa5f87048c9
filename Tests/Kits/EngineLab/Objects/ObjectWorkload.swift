import ObjectStore
import Storage

/// A few objects of changing schemas, for power losses.
public struct ObjectWorkload: PowerLossWorkload {
  public struct State {
    var model = StoreModel()
    var wanted = LabSchema.small
  }

  private let seed: UInt64
  private let limits: TreeLimits

  public init(seed: UInt64) {
    self.seed = seed
    limits =
      seed % 2 == 0
      ? .standard
      : TreeLimits(clusterRows: 4, innerChildren: 4, listElements: 4, pairEntries: 4)
  }

  public var empty: State { State() }

  public func change(
    _ state: State, in transaction: WriteTransaction
  ) throws -> (state: State, history: [UInt8]) {
    var state = state
    let number = transaction.version.rawValue
    var operations = ObjectOperations(
      seed: seed &+ number &* 0x1_0000_0001, model: state.model,
      sizes: ObjectOperations.Sizes(objects: 12, listElements: 6))
    let objects = try ObjectTransaction(transaction, schemas: SchemaCache(), limits: limits)
    if state.model.schema.classes.isEmpty || number % 7 == 0 {
      if !state.model.schema.classes.isEmpty {
        LabSchema.grow(&state.wanted, &operations.random)
      }
      try operations.apply(state.wanted, objects)
    }
    // The first one makes a version of every transaction.
    try operations.create(objects, operations.anyTopLevelTable())
    for _ in 0..<operations.pick(6) { try operations.step(objects) }
    state.model = operations.model
    state.model.touched = []
    return (state, objects.handOver())
  }

  public func mismatch(in snapshot: Snapshot, _ state: State) throws -> String? {
    let schema = try SchemaCache().schema(snapshot.root, in: snapshot.source).description
    let view = StoreView(source: snapshot.source, root: snapshot.root, schema: schema)
    do {
      try StoreComparison.requireEqual(state.model, view)
    } catch let disagreement as Disagreement {
      return "version \(snapshot.version): \(disagreement.description)"
    }
    return snapshot.storeFindings().first?.description
  }
}

import Storage

/// Something that does not hold in a file.
public struct StoreFinding: Hashable, Sendable, CustomStringConvertible {
  /// The class, or "schema".
  public var table: String
  public var object: ObjectKey?
  public var column: String?
  public var message: String

  public var description: String {
    var place = table
    if let object { place += "[\(object.rawValue)]" }
    if let column { place += ".\(column)" }
    return "\(place): \(message)"
  }
}

/// Checks the object store of one version: order of keys, counts, vectors, lists, links against
/// backlinks, indexes against columns. Checksums are the storage layer's affair.
///
/// Memory does not grow with the data. What is kept twice is compared by sums (`PairSums`); only
/// where those differ are the pairs themselves collected, some at a time.
public struct StoreCheck {
  let source: NodeSource
  let schema: StoredSchema
  let root: NodeReference
  private var findings: [StoreFinding] = []
  private var findingsOmitted = 0
  private static let findingsMax = 200
  /// What the links say the backlinks should be: pairs of target and origin.
  var links: [HiddenColumn: PairSums] = [:]
  /// Bytes of nodes that may still be met: shared nodes, or a circle of them, end the check.
  var size: TreeSize
  var table: ClassDescription

  struct HiddenColumn: Hashable {
    var table: TableKey
    var column: ColumnKey
  }

  private let progress: (_ table: String, _ objects: Int) -> Void
  private var objects = 0

  /// Everything that is wrong in the version that `root` (the object store's root) belongs to; of
  /// very much, the first, and how many more there are.
  ///
  /// - Parameter progress: hears now and then how many objects have been checked, and of which
  ///   class the last ones were.
  public static func findings(
    root: NodeReference, in source: NodeSource,
    progress: (_ table: String, _ objects: Int) -> Void = { _, _ in }
  ) -> [StoreFinding] {
    withoutActuallyEscaping(progress) { findings(root, source, $0) }
  }

  private static func findings(
    _ root: NodeReference, _ source: NodeSource, _ progress: @escaping (String, Int) -> Void
  ) -> [StoreFinding] {
    if root.isNone { return [] }
    do throws(StorageError) {
      let schema = StoredSchema(try StoreRoot.schema(root, in: source))
      var check = StoreCheck(source: source, schema: schema, root: root, progress: progress)
      for description in schema.description.classes { check.run(description) }
      for description in schema.description.classes { check.runBacklinks(description) }
      check.runOwnership()
      return check.listed
    } catch {
      return [StoreFinding(table: "schema", message: error.description)]
    }
  }

  private init(
    source: NodeSource, schema: StoredSchema, root: NodeReference,
    progress: @escaping (String, Int) -> Void
  ) {
    self.progress = progress
    self.source = source
    self.schema = schema
    self.root = root
    size = TreeSize(in: source)
    table = ClassDescription(name: "", properties: [])
  }

  var listed: [StoreFinding] {
    if findingsOmitted == 0 { return findings }
    return findings + [StoreFinding(table: "...", message: "\(findingsOmitted) more findings")]
  }

  /// A node that is met for the first time, `depth` levels below the root of its tree.
  mutating func meet(
    _ reference: NodeReference, depth: Int
  ) throws(StorageError) -> Node {
    let node = try source.node(reference)
    _ = try size.bytes(of: node, reference, depth: depth)
    return node
  }

  mutating func found(_ message: String, _ object: Int64? = nil, _ column: String? = nil) {
    if findings.count >= Self.findingsMax {
      findingsOmitted += 1
      return
    }
    findings.append(
      StoreFinding(
        table: table.name, object: object.map { ObjectKey(rawValue: $0) }, column: column,
        message: message))
  }

  private mutating func run(_ description: ClassDescription) {
    table = description
    do throws(StorageError) {
      guard let table = try StoreRoot.table(description.tableKey, root: root, in: source) else {
        return found("the table is missing")
      }
      var walk = ClusterWalk()
      let total = try checkTree(table.clusterRoot, &walk, depth: 0)
      if total != table.count { found("\(table.count) objects expected, \(total) found") }
      if let last = walk.lastKey, last >= (try table.nextKey()).rawValue {
        found("the next key is not above all others", last)
      }
      for property in description.properties { try checkIndex(table, property) }
    } catch {
      found(error.description)
    }
  }

  // MARK: The cluster tree

  private struct ClusterWalk {
    var lastKey: Int64?
    var leafDepth: Int?
  }

  /// Checks a subtree and returns how many objects it has.
  private mutating func checkTree(
    _ reference: NodeReference, _ walk: inout ClusterWalk, depth: Int
  ) throws(StorageError) -> Int {
    if reference.isNone { return 0 }
    let node = try meet(reference, depth: depth)
    if node.kind == .cluster {
      if let known = walk.leafDepth, known != depth { found("clusters at different depths") }
      walk.leafDepth = depth
      try checkCluster(Cluster(node: node), &walk)
      return node.count
    }
    guard node.kind == .clusterInner else {
      throw source.corrupt(reference, "a cluster or an inner node of clusters was expected")
    }
    if node.referenceCount == 0 { found("an inner node without children") }
    var total = 0
    for index in 0..<node.referenceCount {
      let first = InnerNode.first(node, index, stride: InnerNode.clusterStride)
      if let last = walk.lastKey, first <= last { found("a separator is not above \(last)", first) }
      let expected = InnerNode.count(node, index, stride: InnerNode.clusterStride)
      let before = walk.lastKey
      let below = try checkTree(node.reference(index), &walk, depth: depth + 1)
      if below != expected { found("\(expected) objects expected below, \(below) found", first) }
      if let smallest = try firstKey(node.reference(index)), smallest < first {
        found("a key below its separator \(first)", smallest)
      }
      if below == 0 { found("an empty subtree", before) }
      total += below
    }
    return total
  }

  private func firstKey(_ reference: NodeReference) throws(StorageError) -> Int64? {
    var depth = 0
    var node = try source.node(reference)
    while node.kind == .clusterInner {
      try source.descend(&depth, reference)
      node = try source.node(node.reference(0))
    }
    guard node.kind == .cluster else { throw source.unexpected(reference, .cluster) }
    return node.count > 0 ? Cluster(node: node).key(0).rawValue : nil
  }

  private mutating func checkCluster(
    _ cluster: Cluster, _ walk: inout ClusterWalk
  ) throws(StorageError) {
    for row in 0..<cluster.count {
      let key = cluster.key(row).rawValue
      if let last = walk.lastKey, key <= last { found("keys are not in order", key) }
      walk.lastKey = key
    }
    objects += cluster.count
    progress(table.name, objects)
    for property in table.properties {
      try checkColumn(cluster, property)
      if property.collection == .map {
        try checkColumn(cluster, property.mapKeys)
        try checkMaps(cluster, property)
      }
    }
    for backlink in table.backlinks {
      let reference = cluster.reference(backlink.columnKey)
      if reference.isNone { continue }
      _ = try meet(reference, depth: 0)
      let vector = try source.node(reference, .backlinkVector)
      if vector.count > cluster.count { found("a backlink vector has too many rows") }
    }
  }

  // MARK: Columns

  private mutating func checkColumn(
    _ cluster: Cluster, _ property: PropertyDescription
  ) throws(StorageError) {
    let reference = cluster.reference(property.columnKey)
    if reference.isNone { return }
    let node = try meet(reference, depth: 0)
    let first = cluster.key(0).rawValue
    let isList = property.isCollection
    let kind: NodeKind =
      isList
      ? .referenceVector
      : VectorWriter.shape(property.kind, isOptional: property.isOptional).kind
    guard node.kind == kind else {
      return found("a vector of kind \(kind.rawValue) was expected", first, property.name)
    }
    if node.count > cluster.count {
      found("\(node.count) rows for \(cluster.count) objects", first, property.name)
    }
    let rows = min(node.count, cluster.count)
    if isList {
      for row in 0..<rows where !node.reference(row).isNone {
        try checkList(node.reference(row), property, cluster.key(row).rawValue)
      }
      return
    }
    try checkVector(node, property, first)
    guard property.kind == .object || property.kind == .any else { return }
    for row in 0..<rows {
      let value = try VectorValue.read(
        node, row, kind: property.kind, isOptional: true, target: property.targetTable,
        in: source)
      try checkLink(value, property, cluster.key(row).rawValue)
    }
  }

  /// The shape of a vector: sizes, offsets, large values.
  private mutating func checkVector(
    _ node: Node, _ property: PropertyDescription, _ object: Int64
  ) throws(StorageError) {
    guard node.kind == .byteVector else {
      let bitmap = VectorMath.isNullable(node) ? VectorMath.bitmapBytes(node.count) : 0
      if bitmap + (node.count * node.width + 7) / 8 > node.dataSize {
        found("a vector is too short", object, property.name)
      }
      return
    }
    let offset = ByteVector.endsOffset(flags: node.flags, count: node.count)
    let heap = offset + ByteVector.endsBytes(node.count)
    if heap > node.dataSize { return found("a vector is too short", object, property.name) }
    var last = 0
    var large = 0
    for row in 0...node.count {
      let end = unsafe Int(node.data.load(fromByteOffset: offset + row * 2, as: UInt16.self))
      if end < last { found("offsets are not in order", object, property.name) }
      last = end
      if row < node.count, ByteVector.isLarge(node, row) { large += 1 }
    }
    if heap + last > node.dataSize { found("a heap is too short", object, property.name) }
    if large != node.referenceCount {
      found("\(large) large values, \(node.referenceCount) references", object, property.name)
    }
    for index in 0..<node.referenceCount { try checkBlob(node.reference(index)) }
  }

  private mutating func checkBlob(_ reference: NodeReference) throws(StorageError) {
    let blob = try meet(reference, depth: 0)
    if blob.kind == .blob { return }
    guard blob.kind == .chunkedBlob else { throw source.unexpected(reference, .blob) }
    for index in 0..<blob.referenceCount {
      _ = try meet(blob.reference(index), depth: 1)
      _ = try source.node(blob.reference(index), .blob)
    }
  }

  private mutating func checkList(
    _ root: NodeReference, _ property: PropertyDescription, _ object: Int64
  ) throws(StorageError) {
    let list = try ListView(
      root: root, kind: property.kind, isOptional: property.isOptional,
      target: property.targetTable, in: source)
    let counted = try countListLeaves(root, property, object, depth: 0)
    if counted != list.count || counted == 0 {
      found("\(list.count) elements expected, \(counted) found", object, property.name)
    }
    let isSet = property.collection == .set
    guard property.kind == .object || property.kind == .any || isSet else { return }
    var last: StoredValue?
    var leaves = list.leaves()
    while let (vector, _) = try leaves.next() {
      for row in 0..<vector.count {
        let value = try VectorValue.read(
          vector.node!, row, kind: property.kind, isOptional: property.isOptional,
          target: property.targetTable, in: source)
        if isSet, let last, SetOrder.compare(last, value) != .less {
          found("a set is not in order", object, property.name)
        }
        last = value
        if value == .null, property.kind == .object, property.collection != .map {
          found("a list of objects holds null", object, property.name)
        }
        try checkLink(value, property, object)
      }
    }
  }

  /// Whether each map has as many keys as values.
  private mutating func checkMaps(
    _ cluster: Cluster, _ property: PropertyDescription
  ) throws(StorageError) {
    for row in 0..<cluster.count {
      let position = ObjectPosition(cluster: cluster, row: row)
      let values = try listCount(property, at: position)
      let keys = try listCount(property.mapKeys, at: position)
      if keys != values {
        found("\(keys) keys for \(values) values", cluster.key(row).rawValue, property.name)
      }
    }
  }

  private func listCount(
    _ property: PropertyDescription, at position: ObjectPosition
  ) throws(StorageError) -> Int {
    let vectors = position.cluster.reference(property.columnKey)
    guard !vectors.isNone else { return 0 }
    let node = try source.node(vectors, .referenceVector)
    guard position.row < node.count else { return 0 }
    return try ListView(
      root: node.reference(position.row), kind: property.kind, isOptional: property.isOptional,
      target: property.targetTable, in: source
    ).count
  }

  private mutating func countListLeaves(
    _ reference: NodeReference, _ property: PropertyDescription, _ object: Int64, depth: Int
  ) throws(StorageError) -> Int {
    _ = try meet(reference, depth: depth)
    let node = try ListTree.node(reference, property.kind, in: source)
    guard node.kind == .listInner else {
      try checkVector(node, property, object)
      return node.count
    }
    var total = 0
    for index in 0..<node.referenceCount {
      let expected = InnerNode.count(node, index, stride: InnerNode.listStride)
      let below = try countListLeaves(
        node.reference(index), property, object, depth: depth + 1)
      if below != expected || below == 0 {
        found("\(expected) elements expected below, \(below) found", object, property.name)
      }
      total += below
    }
    return total
  }

  private mutating func checkLink(
    _ value: StoredValue, _ property: PropertyDescription, _ origin: Int64
  ) throws(StorageError) {
    guard case .link(let targetTable, let target) = value else { return }
    guard let table = try StoreRoot.table(targetTable, root: root, in: source),
      try table.find(target) != nil
    else {
      return found("a link to object \(target.rawValue), which is not there", origin, property.name)
    }
    let hidden = schema.description.description(of: targetTable)?
      .backlinkColumn(from: self.table.tableKey, property.columnKey)
    guard let hidden else {
      return found("a link without a backlink column", origin, property.name)
    }
    let place = HiddenColumn(table: targetTable, column: hidden)
    links[place, default: PairSums()].add(target.rawValue, origin)
  }
}

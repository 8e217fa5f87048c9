import Storage
import Synchronization

/// A query made ready to run, any number of times, on any version whose schema has what it names.
///
/// Immutable: one compiled query serves any number of threads, each with its own pinned version.
public final class CompiledQuery: Sendable {
  public let description: QueryDescription
  /// The table of the objects in the results.
  public let table: TableKey
  let node: any PredicateNode
  let stages: [CompiledStage]
  /// What the results are sorted by, if they are all matches.
  let sort: [CompiledSortKey]
  /// The list that the objects come from, if they come from one.
  let sourceColumn: ColumnInfo?
  let sourceBacklinks: ColumnKey?
  /// Indexes that narrow the search down, if a table is searched.
  let probes: [PlannedProbe]
  /// Of what it was compiled for.
  let schema: SchemaDescription
  private let foundDependencies = AtomicLazyReference<Dependencies>()

  /// - Throws: `QueryError` if the query does not fit the schema.
  public init(_ description: QueryDescription, schema: SchemaDescription) throws(QueryError) {
    self.description = description
    let source = try SourceCompiler(schema).compile(description.source)
    table = source.table
    sourceColumn = source.column
    sourceBacklinks = source.backlinks
    let paths = PathCompiler(schema)
    let owner = try paths.description(of: table)
    self.schema = schema
    var compiler = PredicateCompiler(schema: schema, root: table, notesDependencies: false)
    node = try compiler.compile(description.predicate)
    var stages: [CompiledStage] = []
    for stage in description.stages { stages.append(try CompiledStage(stage, paths, table)) }
    self.stages = stages
    if case .sort(let keys) = stages.first, stages.count == 1 { sort = keys } else { sort = [] }
    probes = PlannedProbe.all(in: node, owner)
  }

  private final class Dependencies: Sendable {
    let paths: [TrackedPath]
    init(_ paths: [TrackedPath]) { self.paths = paths }
  }

  /// What a change must have touched to change whether an object belongs, or where it stands.
  ///
  /// Found when first asked for: only who follows changes asks, and most queries are run once.
  var dependencies: [TrackedPath] {
    if let found = foundDependencies.load() { return found.paths }
    return foundDependencies.storeIfNil(Dependencies(findDependencies())).paths
  }

  private func findDependencies() -> [TrackedPath] {
    var compiler = PredicateCompiler(schema: schema, root: table, notesDependencies: true)
    do {
      _ = try compiler.compile(description.predicate)
    } catch {
      preconditionFailure("a predicate that was compiled before does not compile: \(error)")
    }
    var dependencies = compiler.dependencies
    for path in stages.flatMap(\.paths) {
      dependencies.append(contentsOf: TrackedPath.all(along: path, prefix: []))
    }
    return Array(Set(dependencies))
  }

  /// Whether it is all objects of a table in their order, so that positions need no list.
  public var isWholeTable: Bool {
    guard case .table = description.source else { return false }
    return isPlain && (node as? ConstantNode)?.value == true
  }

  /// Whether nothing but the predicate decides who belongs, and the order is that of the source.
  var isPlain: Bool { stages.isEmpty }

  /// Whether the results are all objects that the predicate holds for, in whatever order.
  var hasAllMatches: Bool { stages.isEmpty || !sort.isEmpty }
}

/// Resolves where the objects of a query come from.
struct SourceCompiler {
  private let paths: PathCompiler

  init(_ schema: SchemaDescription) { paths = PathCompiler(schema) }

  struct Source {
    var table: TableKey
    var column: ColumnInfo?
    var backlinks: ColumnKey?
  }

  func compile(_ source: QuerySource) throws(QueryError) -> Source {
    switch source {
    case .table(let table): return Source(table: table)
    case .list(let owner, _, let column):
      let description = try paths.description(of: owner)
      guard let property = description.property(at: column), property.kind == .object,
        property.isCollection
      else {
        throw QueryError("'\(description.name)' has no list of objects in that column.")
      }
      return Source(table: property.targetTable, column: ColumnInfo(property))
    case .backlinks(let origin, let column, _):
      let description = try paths.description(of: origin)
      guard let property = description.property(at: column),
        let target = paths.schema.description(of: property.targetTable),
        let hidden = target.backlinkColumn(from: origin, column)
      else {
        throw QueryError("'\(description.name)' has no link in that column.")
      }
      return Source(table: origin, backlinks: hidden)
    }
  }
}

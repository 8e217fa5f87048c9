import Foundation
import ObjectStore
import Platform
import Storage
import Synchronization
import TestSupport

/// Threads that read the newest version over and over while a `ModelRun` writes: every version that
/// they catch must be the one that its model says.
public final class ConcurrentReaders: Sendable {
  private struct State {
    var models: [Version: StoreModel] = [:]
    var isOver = false
    var failure: (any Error)?
    var versionsRead = 0
  }

  private let state = LockedValue(State())
  private let threads = DispatchGroup()

  public init() {}

  /// How many times a version was read in full.
  public var versionsRead: Int { state.withLock { $0.versionsRead } }

  /// What the version will hold if it comes to be. Called before it does.
  func expect(_ model: StoreModel, at version: Version) {
    state.withLock { state in
      state.models[version] = model
      state.models[Version(version.rawValue &- 64)] = nil
    }
  }

  /// Starts as many threads, which read until `stop`.
  public func start(_ count: Int, _ database: Database) {
    for number in 0..<count {
      threads.enter()
      // Threads of their own: those of a shared pool may all be taken.
      Thread.detachNewThread { [self] in
        do { try read(database, SeededGenerator(seed: UInt64(number))) } catch {
          state.withLock { $0.failure = $0.failure ?? error }
        }
        threads.leave()
      }
    }
  }

  /// Waits for the threads, and throws what one of them has found.
  public func stop() throws {
    state.withLock { $0.isOver = true }
    threads.wait()
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  private func read(_ database: Database, _ random: SeededGenerator) throws {
    var random = random
    let schemas = SchemaCache()
    while !state.withLock({ $0.isOver }) {
      let snapshot = try database.pinNewest()
      // A version older than those remembered was pinned a while ago; the next one will do.
      guard let model = state.withLock({ $0.models[snapshot.version] }) else { continue }
      let schema = try schemas.schema(snapshot.root, in: snapshot.source).description
      let view = StoreView(source: snapshot.source, root: snapshot.root, schema: schema)
      try StoreComparison.requireEqual(model, view)
      try QueryCheck.run(1, model, view, &random)
      state.withLock { $0.versionsRead += 1 }
    }
  }
}

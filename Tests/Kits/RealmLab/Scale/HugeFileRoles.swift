import EngineLab
import Glibc
import Platform
import Storage
import TestSupport

/// Replaces leaves at random, in commits of all durabilities, until it is told to stop or killed.
struct LeafChanger {
  private let file: LeafFile

  init(_ words: Words) { file = LeafFile(words) }

  func run() throws {
    let database = try file.open()
    let stop = Stop()
    say("ready")
    var random = SeededGenerator(seed: MonotonicClock.now() ^ UInt64(getpid()))
    var count = 0
    while !stop.isAsked {
      let durability: Durability = [.full, .full, .grouped, .relaxed][random.below(4)]
      try file.tree.change(20, in: database, durability: durability, &random)
      count += 1
    }
    say("stopped \(count)")
  }
}

/// Reads leaves at random in every version that it meets, until it is told to stop or killed.
struct LeafWatcher {
  private let file: LeafFile
  private let findings: FindingsFile

  init(_ words: Words) {
    file = LeafFile(words)
    findings = FindingsFile(path: words.text(8))
  }

  func run() throws {
    let database = try file.open()
    let stop = Stop()
    say("ready")
    var random = SeededGenerator(seed: MonotonicClock.now() ^ UInt64(getpid()))
    var count = 0
    while !stop.isAsked {
      let snapshot = try database.pinNewest()
      for _ in 0..<100 {
        do throws(StorageError) {
          try look(random.below(file.tree.leafCount), snapshot)
        } catch {
          findings.add("version \(snapshot.version): \(error)")
        }
        count += 1
      }
    }
    say("stopped \(count)")
  }

  private func look(_ index: Int, _ snapshot: Snapshot) throws(StorageError) {
    guard let leaf = try file.tree.leaf(index, below: snapshot.root, in: snapshot.source) else {
      return
    }
    let stamp = unsafe leaf.data.load(fromByteOffset: 8, as: UInt64.self)
    if stamp > snapshot.version.rawValue {
      findings.add("leaf \(index) of version \(snapshot.version) is of version \(stamp)")
    }
    if let mismatch = file.tree.mismatch(index, leaf) {
      findings.add("version \(snapshot.version): \(mismatch)")
    }
  }
}

import Foundation
import PackageIndex
import RealmSwift

/// Writes the package index into the file, a batch of paragraphs to a transaction: first the
/// packages, then the links between them. It goes on where the file says that the import stopped,
/// so an importer that was killed is replaced by starting another one.
struct Importer {
  private let realm: Realm
  private let packages: [IndexedPackage]
  private let batchSize: Int
  /// The version that a link to a name leads to: the first in the index.
  private let targets: [String: String]

  init(file: String, index: String, batchSize: Int) throws {
    let started = monotonicNanoseconds()
    realm = try Realm(configuration: Store.configuration(file))
    Wire.ready(since: started)
    var seen: Set<String> = []
    packages = try PackageIndexReader(contentsOf: URL(filePath: index)).filter {
      seen.insert($0.identifier).inserted
    }
    var targets: [String: String] = [:]
    for package in packages where targets[package.name] == nil {
      targets[package.name] = package.identifier
    }
    self.targets = targets
    self.batchSize = batchSize
  }

  func run() throws {
    while try importBatch() {}
    let links = realm.objects(Package.self).reduce(0) { $0 + $1.dependencies.count }
    Wire.send(.imported(packages: realm.objects(Package.self).count, links: links))
  }

  /// One transaction; false if there was nothing left to do.
  private func importBatch() throws -> Bool {
    let asked = monotonicNanoseconds()
    realm.beginWrite()
    let waited = monotonicNanoseconds() - asked
    let state =
      realm.object(ofType: ImportState.self, forPrimaryKey: 0)
      ?? realm.create(ImportState.self, value: ["identifier": 0])
    guard let what = change(state) else {
      realm.cancelWrite()
      return false
    }
    state.commits += 1
    let number = Store.beat("importer", in: realm)
    Wire.send(.committing(number: number))
    let called = monotonicNanoseconds()
    try realm.commitWrite()
    Wire.send(
      .committed(
        Commit(
          number: number, waited: waited, calledAt: called, returnedAt: monotonicNanoseconds(),
          what: what)))
    return true
  }

  private func change(_ state: ImportState) -> String? {
    if let batch = batch(after: state.paragraphsStored) {
      for package in packages[batch] { store(package) }
      state.paragraphsStored = batch.upperBound
      return "packages \(batch.lowerBound)..<\(batch.upperBound)"
    }
    if let batch = batch(after: state.paragraphsLinked) {
      for package in packages[batch] { link(package) }
      state.paragraphsLinked = batch.upperBound
      return "links of \(batch.lowerBound)..<\(batch.upperBound)"
    }
    return nil
  }

  private func batch(after done: Int) -> Range<Int>? {
    done < packages.count ? done..<min(done + batchSize, packages.count) : nil
  }

  private func store(_ indexed: IndexedPackage) {
    let package = Package()
    package.identifier = indexed.identifier
    package.name = indexed.name
    package.version = indexed.version
    package.architecture = indexed.architecture
    package.summary = indexed.summary
    package.size = indexed.size
    package.installedSize = indexed.installedSize
    realm.add(package)
    package.section = section(indexed.section)
  }

  private func section(_ name: String) -> Section {
    realm.object(ofType: Section.self, forPrimaryKey: name)
      ?? realm.create(Section.self, value: ["name": name])
  }

  private func link(_ indexed: IndexedPackage) {
    guard let package = stored(indexed.identifier) else {
      Wire.send(.problem("\(indexed.identifier) was stored and is not there"))
      return
    }
    for name in indexed.dependencies {
      guard let target = targets[name].flatMap(stored) else { continue }
      package.dependencies.append(target)
    }
  }

  private func stored(_ identifier: String) -> Package? {
    realm.object(ofType: Package.self, forPrimaryKey: identifier)
  }
}

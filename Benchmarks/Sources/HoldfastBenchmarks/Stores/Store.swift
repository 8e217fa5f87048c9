import Foundation

/// How soon a commit has to survive power loss.
enum Flushing: String {
  /// Before it returns.
  case everyCommit
  /// Not waited for.
  case none
}

/// A database under measurement. Loops are inside, so that nothing but the store is measured.
protocol Store: AnyObject {
  static var name: String { get }

  /// A new store in an empty folder.
  init(folder: URL, flushing: Flushing) throws

  /// Inserts records in key order, in one transaction.
  func insert(_ identifiers: Range<Int>) throws
  /// Inserts records, each in a transaction of its own.
  func insertOneByOne(_ identifiers: Range<Int>) throws
  /// Sets the age of a record to something else, each time in a transaction of its own.
  func update(_ identifiers: [Int]) throws
  /// Begins to read the newest version, and ends it.
  func pinAndUnpin(times: Int) throws
  /// Keeps on reading the version that is the newest now.
  func pin() throws
  /// Reads the age of one record again and again; returns the sum.
  func readAge(of identifier: Int, times: Int) throws -> Int
  /// How many records have this age; no index helps.
  func count(age: Int) throws -> Int
  /// Length of all files of the store.
  func sizeBytes() throws -> Int
}

/// A store that is opened again after it has been closed.
protocol ReopenedStore: Store {
  /// All that a closed store consists of.
  static func files(in folder: URL) -> [URL]
  /// Opens a store that is there already, reads the age of one record, and closes it.
  static func openAndRead(_ identifier: Int, in folder: URL) throws -> Int
}

extension Store {
  static func size(of files: [URL]) throws -> Int {
    try files.reduce(0) { sum, file in
      let path = file.path(percentEncoded: false)
      guard FileManager.default.fileExists(atPath: path) else { return sum }
      return sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
    }
  }
}

struct StoreError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

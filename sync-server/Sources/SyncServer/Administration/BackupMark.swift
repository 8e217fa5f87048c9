import Foundation

/// The file in a backup that says whether it is whole, and which files are in it: what is not whole
/// is not served.
struct BackupMark: Codable, Sendable {
  /// Whether all files are there.
  var isWhole = false
  /// The size of each file, by its path in the backup.
  var files: [String: Int] = [:]

  static func path(_ data: String) -> String { data + "/backup.json" }

  /// The mark of a folder; nil if it is no backup, or one that has been served.
  init?(_ data: String) throws {
    let path = Self.path(data)
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      self = try JSONDecoder().decode(BackupMark.self, from: bytes)
    } catch {
      throw DataFolder.Unusable(description: "\(path) is damaged; take another backup")
    }
  }

  init(isWhole: Bool = false) { self.isWhole = isWhole }

  func write(_ data: String) throws {
    try PrivateFile.write(Array(try JSONEncoder().encode(self)), to: Self.path(data))
  }

  /// - Throws: if a folder is a backup, and not whole.
  static func check(_ data: String) throws {
    guard let mark = try BackupMark(data) else { return }
    guard mark.isWhole else {
      throw DataFolder.Unusable(
        description: "\(data) is a backup that was interrupted; take another one")
    }
    for (name, size) in mark.files.sorted(by: { $0.key < $1.key }) {
      let path = data + "/" + name
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      guard let found = attributes?[.size] as? Int else {
        throw DataFolder.Unusable(
          description: "\(path) is missing from the backup; copy the backup anew")
      }
      guard found >= size else {
        throw DataFolder.Unusable(
          description: "\(path) has \(found) bytes and had \(size) in the backup; copy it anew")
      }
    }
  }

  /// The folder is about to be served, and what is in it to change.
  static func remove(_ data: String) throws {
    guard FileManager.default.fileExists(atPath: path(data)) else { return }
    do { try FileManager.default.removeItem(atPath: path(data)) } catch {
      throw FileProblem(path(data), "cannot be removed", error)
    }
  }
}

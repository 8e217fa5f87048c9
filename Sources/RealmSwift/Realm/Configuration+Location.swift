public import Foundation

// Where files are when the program does not say.
//
// A program's default realm is `default.realm` in a directory with the program's name under the
// user's data directory, as the XDG base directory specification has it: $XDG_DATA_HOME, or
// ~/.local/share where that is not set. Data in memory has a file of its own too, through which
// processes share it; it lies in $XDG_RUNTIME_DIR (memory, cleared at log-out), or in the
// temporary directory.

extension Realm.Configuration {
  /// The file that is opened when a configuration names none:
  /// `$XDG_DATA_HOME/<program>/default.realm`.
  public static var defaultFileURL: URL {
    defaultDirectory(
      environment: ProcessInfo.processInfo.environment,
      program: programName,
      home: FileManager.default.homeDirectoryForCurrentUser
    ).appendingPathComponent("default.realm", isDirectory: false)
  }

  /// The path of the file that holds the data, in memory or not.
  var path: String {
    if let fileURL { return fileURL.standardizedFileURL.path }
    return Self.inMemoryURL(
      inMemoryIdentifier ?? "",
      environment: ProcessInfo.processInfo.environment,
      program: Self.programName
    ).path
  }

  /// Makes the directory of the default file; other directories are the program's affair.
  func createDefaultDirectory() throws(RLMError) {
    guard let directory = fileURL?.deletingLastPathComponent(),
      !FileManager.default.fileExists(atPath: directory.path)
    else { return }
    let standard = Self.defaultFileURL.deletingLastPathComponent()
    guard directory.standardizedFileURL.path == standard.standardizedFileURL.path else { return }
    do {
      try FileManager.default.createDirectory(at: standard, withIntermediateDirectories: true)
    } catch {
      throw RLMError(
        .fileAccess,
        "could not make the directory of the default realm; set $XDG_DATA_HOME or a fileURL "
          + "(\(error.localizedDescription)) [\(standard.path)]",
        path: standard.path
      )
    }
  }

  static func defaultDirectory(
    environment: [String: String],
    program: String,
    home: URL
  ) -> URL {
    let base =
      absolute(environment["XDG_DATA_HOME"])
      ?? home.appendingPathComponent(".local/share", isDirectory: true)
    return base.appendingPathComponent(program, isDirectory: true)
  }

  static func inMemoryURL(
    _ identifier: String,
    environment: [String: String],
    program: String
  ) -> URL {
    let base =
      absolute(environment["XDG_RUNTIME_DIR"])
      ?? URL(fileURLWithPath: NSTemporaryDirectory(), isDirectory: true)
    let name = "\(program).\(identifier)".addingPercentEncoding(withAllowedCharacters: .fileName)
    return base.appendingPathComponent("\(name ?? program).realm", isDirectory: false)
  }

  /// The specification says that relative paths are to be ignored.
  private static func absolute(_ path: String?) -> URL? {
    guard let path, path.hasPrefix("/") else { return nil }
    return URL(fileURLWithPath: path, isDirectory: true)
  }

  private static var programName: String {
    let name = ProcessInfo.processInfo.processName
    return name.isEmpty ? "realm" : name
  }
}

extension CharacterSet {
  fileprivate static let fileName = alphanumerics.union(CharacterSet(charactersIn: "-_. "))
}

import ArgumentParser
import Foundation
import ModelMigration

/// Rewrites models that were written for Objective-C to `@Persisted`.
@main
struct MigrateModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate-models",
    abstract: "Rewrites Realm models written for Objective-C to @Persisted.",
    discussion: """
      Classes that descend from Object, EmbeddedObject or AsymmetricObject get @Persisted \
      properties for '@objc dynamic var', 'let x = List<T>()', RealmOptional and LinkingObjects, \
      and lose primaryKey(), indexedProperties() and ignoredProperties(). Give all sources at \
      once, so that subclasses are known. What has to be done by hand is listed.
      """)

  @Flag(name: [.customShort("n"), .long], help: "Write nothing; say which files would change.")
  var dryRun = false

  @Flag(name: [.customShort("d"), .long], help: "Print the changes as a unified diff.")
  var diff = false

  @Argument(help: "Swift files, or directories to look for them in.")
  var paths: [String]

  func run() throws {
    let files = try paths.flatMap(Self.swiftFiles)
    let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    var changed = 0
    for ((file, text), result) in zip(zip(files, texts), ModelMigration(texts).run()) {
      for note in result.notes { print("\(file):\(note.line): \(note.text)") }
      if result.text == text { continue }
      changed += 1
      if diff { print(UnifiedDiff.text(from: text, to: result.text, path: file), terminator: "") }
      if dryRun {
        if !diff { print("\(file): would change") }
      } else {
        try result.text.write(toFile: file, atomically: true, encoding: .utf8)
      }
    }
    print("\(changed) of \(files.count) files \(dryRun ? "would change" : "changed")")
  }

  /// The file, or the Swift files below the directory, in order; not those of packages' builds.
  private static func swiftFiles(_ path: String) throws -> [String] {
    var isDirectory: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ValidationError("There is no file at '\(path)'.")
    }
    if !isDirectory.boolValue { return [path] }
    let names = try FileManager.default.subpathsOfDirectory(atPath: path)
    return names.filter { name in
      name.hasSuffix(".swift") && !name.split(separator: "/").contains { $0.hasPrefix(".") }
    }.sorted().map { path + "/" + $0 }
  }
}

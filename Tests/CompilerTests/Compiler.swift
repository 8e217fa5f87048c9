import Foundation

/// The compiler of the toolchain that the tests run with, set up like a program that uses the
/// library as it was built beside this test.
struct Compiler {
  /// What the compiler is to do.
  enum Check {
    /// Produce the errors that the files name in `expected-error` comments, and no others, when it
    /// checks types.
    case expectedTypeErrors
    /// The same when it checks what flows from one isolation domain to another, which it does only
    /// once there are no errors in types.
    case expectedFlowErrors
    /// Find nothing wrong at all.
    case nothing
  }

  let folder = URL(filePath: #filePath).deletingLastPathComponent()

  var package: URL { folder.deletingLastPathComponent().deletingLastPathComponent() }

  /// The Swift files of a folder of cases.
  func cases(_ name: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: folder.appending(path: "Cases/\(name)"), includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "swift" }
    .sorted { $0.path < $1.path }
  }

  /// What the compiler has to say against the files, which are one module; empty if nothing.
  func complaints(about files: [URL], _ check: Check) throws -> String {
    let arguments = arguments(for: check) + (try moduleArguments()) + files.map(\.path)
    let result = try run("swiftc", arguments)
    if result.status == 0 { return "" }
    return result.output.isEmpty ? "status \(result.status)" : result.output
  }

  /// Runs a tool of the toolchain.
  func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// What the compiler says about itself.
  struct Toolchain: Decodable {
    struct Target: Decodable { let triple: String }
    struct Paths: Decodable { let runtimeResourcePath: String }
    let target: Target
    let paths: Paths

    /// A tool that need not be where programs are looked for.
    func tool(_ name: String) -> String {
      URL(filePath: paths.runtimeResourcePath).appending(path: "../../bin/\(name)").path
    }
  }

  func toolchain() throws -> Toolchain {
    let text = try run("swiftc", ["-print-target-info"]).output
    return try JSONDecoder().decode(Toolchain.self, from: Data(text.utf8))
  }

  /// Writes what a module declares publicly, with its documentation, into files of the folder.
  func extractSymbols(
    of module: String, to folder: URL
  ) throws -> (status: Int32, output: String) {
    let toolchain = try toolchain()
    return try run(
      toolchain.tool("swift-symbolgraph-extract"),
      ["-module-name", module, "-minimum-access-level", "public"]
        + ["-skip-synthesized-members", "-skip-inherited-docs"]
        + ["-target", toolchain.target.triple, "-output-dir", folder.path] + moduleArguments())
  }

  private func arguments(for check: Check) -> [String] {
    let common = ["-swift-version", "6", "-wmo", "-module-name", "Cases", "-suppress-warnings"]
    let verify = ["-Xfrontend", "-verify", "-Xfrontend", "-verify-ignore-unrelated"]
    switch check {
    case .expectedTypeErrors: return common + verify + ["-typecheck"]
    case .expectedFlowErrors: return common + verify + ["-emit-sil", "-o", "/dev/null"]
    case .nothing: return common + ["-emit-sil", "-o", "/dev/null"]
    }
  }

  /// Where the library's modules are, and the C modules that it is made of.
  func moduleArguments() throws -> [String] {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let maps = try FileManager.default
      .contentsOfDirectory(at: products, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "build" }
      .map { $0.appending(path: "module.modulemap") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
    let system = package.appending(path: "Sources/Clibuv/module.modulemap")
    return ["-I", products.appending(path: "Modules").path]
      + (maps + [system]).flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }
}

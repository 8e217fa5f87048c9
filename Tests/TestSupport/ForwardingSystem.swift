import Platform

/// A stand-in for another system that hands every call on to it, so that who conforms writes only
/// the calls that it is about.
///
/// Requirements for which `Platform` has defaults are handed on as well: a default would answer in
/// the other system's place.
public protocol ForwardingSystem: System {
  var real: any System { get }
}

extension ForwardingSystem {
  public func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    try real.openFile(path: path, mode: mode)
  }

  public func removeFile(path: String) throws(SystemError) { try real.removeFile(path: path) }

  public func renameFile(from: String, to: String) throws(SystemError) {
    try real.renameFile(from: from, to: to)
  }

  public func fileExists(path: String) -> Bool { real.fileExists(path: path) }

  public func synchronizeDirectory(containing path: String) throws(SystemError) {
    try real.synchronizeDirectory(containing: path)
  }

  public func bootIdentifier() -> BootIdentifier { real.bootIdentifier() }

  public var hasRealTime: Bool { real.hasRealTime }
}

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

  public func identity(ofFileAt path: String) throws(SystemError) -> FileIdentity? {
    try real.identity(ofFileAt: path)
  }

  public func canonicalPath(of path: String) throws(SystemError) -> String? {
    try real.canonicalPath(of: path)
  }

  public func synchronizeDirectory(containing path: String) throws(SystemError) {
    try real.synchronizeDirectory(containing: path)
  }

  public func bootIdentifier() -> BootIdentifier { real.bootIdentifier() }

  public var hasRealTime: Bool { real.hasRealTime }

  @discardableResult
  public func wait(
    on word: UnsafeMutableRawPointer, while expected: UInt32, timeout: UInt64?
  ) -> Bool {
    unsafe real.wait(on: word, while: expected, timeout: timeout)
  }

  public var awaitedWordsMax: Int { real.awaitedWordsMax }

  public func wait(onAnyOf words: [AwaitedWord], timeout: UInt64?) {
    real.wait(onAnyOf: words, timeout: timeout)
  }

  @discardableResult
  public func wake(_ word: UnsafeMutableRawPointer, count: Int32) -> Int {
    unsafe real.wake(word, count: count)
  }

  public func startThread(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    try real.startThread(name: name, run)
  }

  public func makeQueue(label: String) -> any BackgroundQueue { real.makeQueue(label: label) }

  public func pause(nanoseconds: UInt64) { real.pause(nanoseconds: nanoseconds) }

  public func now() -> UInt64 { real.now() }

  public func coarseNow() -> UInt64 { real.coarseNow() }
}

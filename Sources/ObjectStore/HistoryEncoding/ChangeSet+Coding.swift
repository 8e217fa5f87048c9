import Storage

extension ChangeSet {
  /// - Throws: `.corrupt` if the bytes make no sense; `path` is for its message.
  public init(decoding bytes: UnsafeRawBufferPointer, path: String) throws(StorageError) {
    preconditionFailure("not yet")
  }

  public func encoded() -> [UInt8] { preconditionFailure("not yet") }

  /// Makes this the changes of both ranges of commits, `newer` following directly.
  public mutating func merge(_ newer: ChangeSet) { preconditionFailure("not yet") }

  /// What `DatabaseOptions.mergeHistory` wants.
  public static func mergeEncoded(
    _ older: UnsafeRawBufferPointer, _ newer: UnsafeRawBufferPointer
  ) -> [UInt8] {
    preconditionFailure("not yet")
  }
}

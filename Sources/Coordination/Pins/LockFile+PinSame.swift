extension LockFile {
  /// Whether `pinSame` can be used: a reader that cannot write to the lock-file pins nothing there.
  public var canPinOlderVersions: Bool { mode != .privateReader }

  /// Pins the version that another pin keeps; nil if that has been given back meanwhile. For the
  /// holder of the writer role.
  public func pinSame(
    as other: PinDescription, label: PinLabel
  ) throws(LockFileError) -> Pin? {
    try pinTable.pinSame(as: other, label: label)
  }
}

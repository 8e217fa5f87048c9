import Storage

extension EncryptionKey {
  /// What encrypted files of the labs have.
  public static let lab = EncryptionKey((0..<64).map { UInt8($0) })!
}

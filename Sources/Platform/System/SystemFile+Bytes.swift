extension SystemFile {
  /// Up to `count` bytes; fewer only at the end of the file.
  public func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { bytes.deallocate() }
    return Array(bytes[..<(try read(into: bytes, at: offset))])
  }

  /// Writes all of `bytes` at `offset`, or throws.
  public func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, SystemError> in
      do throws(SystemError) { return .success(try write(bytes, at: offset)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}

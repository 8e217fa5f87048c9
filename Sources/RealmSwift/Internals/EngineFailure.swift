import Storage

/// Runs a read or a change of the engine where the API has no way to throw. What can fail there is
/// damage in the file, or memory: the program cannot go on as if nothing had happened.
@inline(__always)
func engine<Result>(_ body: () throws(StorageError) -> Result) -> Result {
  do { return try body() } catch { failed(error) }
}

@inline(never)
func failed(_ error: StorageError) -> Never {
  throwRealmException(error.description)
}

import Platform

/// Runs what blocks on a thread of its own: tests run on the few threads that also serve actors,
/// and the runs here wait for actors.
func onOwnThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try BackgroundThread.start(name: "test") {
        continuation.resume(with: Result { try body() })
      }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

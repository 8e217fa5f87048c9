#if Sync
  /// Registers accounts that log in by e-mail and password.
  public struct EmailPasswordAuth: Sendable {
    let app: App

    /// Makes an account. Logging in is another step.
    ///
    /// - Throws: `AppError`.
    public func registerUser(email: String, password: String) async throws {
      _ = try await app.requests.send(
        "POST", "\(app.path)/auth/register", ["email": email, "password": password])
    }

    /// Makes an account. `completion` is called on some thread.
    public func registerUser(
      email: String, password: String,
      completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
      finishing(completion) { try await self.registerUser(email: email, password: password) }
    }
  }
#endif

#if Sync
  import Foundation
  import Platform
  import SyncTransport

  /// Speaks with an app's server about accounts: JSON over HTTP.
  final class AppRequests: Sendable {
    let endpoint: Endpoint
    private let timeoutMilliseconds: Int
    private let loop = SyncLoop()
    /// Instead of `Authorization`.
    let tokenHeader = LockedValue<String?>(nil)

    init(endpoint: Endpoint, timeoutMilliseconds: Int) {
      self.endpoint = endpoint
      self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// The fields of the server's answer. `finished` is called on some thread.
    func send(
      _ method: String, _ path: String, token: String? = nil, _ fields: [String: String]? = nil,
      _ finished: @escaping @Sendable (Result<Data, AppError>) -> Void
    ) {
      var headers = [("Accept", "application/json")]
      var body: [UInt8] = []
      if let fields {
        headers.append(("Content-Type", "application/json"))
        body = (try? JSONEncoder().encode(fields)).map(Array.init) ?? []
      }
      if let token {
        headers.append((tokenHeader.withLock { $0 } ?? "Authorization", "Bearer \(token)"))
      }
      let request = HTTPRequest(
        method: method, path: path, headers: headers.map { (name: $0.0, value: $0.1) },
        body: body)
      request.send(to: endpoint, timeoutMilliseconds: timeoutMilliseconds, on: loop) { result in
        finished(Self.data(result))
      }
    }

    /// As `send`, for code that waits.
    func send(
      _ method: String, _ path: String, token: String? = nil, _ fields: [String: String]? = nil
    ) async throws -> Data {
      try await withCheckedThrowingContinuation { continuation in
        send(method, path, token: token, fields) { continuation.resume(with: $0) }
      }
    }

    private struct Problem: Decodable {
      var error: String?
      var error_code: String?
    }

    private static func data(
      _ result: Result<HTTPRequest.Response, TransportError>
    ) -> Result<Data, AppError> {
      switch result {
      case .failure(let error): return .failure(AppError(.httpRequestFailed, error.message))
      case .success(let response):
        let data = Data(response.body)
        if (200..<300).contains(response.status) { return .success(data) }
        let problem = try? JSONDecoder().decode(Problem.self, from: data)
        var code = AppError.code(named: problem?.error_code)
        // Somebody else has answered, such as a proxy that wants money.
        if code == .unknown, response.status >= 500 || problem?.error_code == nil {
          code = .httpRequestFailed
        }
        let message = problem?.error ?? "The server answered with status \(response.status)."
        return .failure(AppError(code, message))
      }
    }
  }

  extension Data {
    func decoded<Value: Decodable>(_: Value.Type) throws -> Value {
      do { return try JSONDecoder().decode(Value.self, from: self) } catch {
        throw AppError(.unknown, "The server's answer cannot be read: \(error)")
      }
    }
  }
#endif

import Hummingbird

/// Whether the server is well, and what it has counted.
struct HealthRoutes: Sendable {
  let apps: AppRegistry
  let metrics: PrometheusMetrics
  let adminToken: [UInt8]

  func add(to router: Router<APIContext>) {
    router.get("/health/live") { _, _ in try Response.json(["status": "live"]) }
    router.get("/health/ready") { _, _ in
      let broken = apps.broken
      guard broken.isEmpty else {
        throw APIError(
          .serviceUnavailable, "Unavailable",
          "These apps cannot be served: \(broken.joined(separator: ", ")).")
      }
      return try Response.json(["status": "ready"])
    }
    router.get("/metrics") { request, _ in
      guard let token = request.bearerToken,
        PasswordHash.areEqual(Array(token.utf8), adminToken)
      else { throw APIError(.unauthorized, "InvalidToken", "The administrator's token is wanted.") }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }
  }
}

import Foundation
import Hummingbird
import Logging
import NIOCore
import Storage

/// Makes every failure a JSON answer of one form.
struct ErrorMiddleware<Context: RequestContext>: RouterMiddleware {
  private struct Body: Encodable {
    var error: String
    var error_code: String
  }

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as APIError {
      return try Self.response(error)
    } catch let error as HTTPError {
      let code = error.status == .notFound ? "NotFound" : "BadRequest"
      return try Self.response(
        APIError(error.status, code, error.body ?? error.status.reasonPhrase))
    } catch let error as DecodingError {
      return try Self.response(.bad("The request cannot be read: \(Self.sentence(error))"))
    } catch is NIOTooManyBytesError {
      return try Self.response(.tooLarge)
    } catch let error as StorageError {
      context.logger.error("storage failed", metadata: ["error": "\(error)"])
      return try Self.response(APIError.noSpace)
    } catch {
      context.logger.error("a request failed", metadata: ["error": "\(error)"])
      return try Self.response(
        APIError(.internalServerError, "InternalServerError", "The server failed."))
    }
  }

  private static func sentence(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "\(key.stringValue) is missing."
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      context.codingPath.last.map { "\($0.stringValue) is not as it should be." }
        ?? "it is no JSON object."
    @unknown default: "it is not as it should be."
    }
  }

  static func response(_ error: APIError) throws -> Response {
    let body = Body(error: error.message, error_code: error.code)
    return try Response.json(body, status: error.status)
  }
}

extension Response {
  /// A value as JSON.
  static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let bytes = ByteBuffer(bytes: try JSONEncoder().encode(value))
    return Response(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: bytes))
  }
}

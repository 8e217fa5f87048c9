import Hummingbird

/// What a client of the HTTP interface is told has failed.
struct APIError: Error {
  var status: HTTPResponse.Status
  /// For programs.
  var code: String
  /// For people.
  var message: String

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  static let invalidPassword = APIError(
    .unauthorized, "InvalidPassword", "The e-mail address or the password is wrong.")
  static let invalidSession = APIError(
    .unauthorized, "InvalidSession", "The token is not valid; log in again.")
  static let userDisabled = APIError(.unauthorized, "UserDisabled", "The user has been disabled.")
  static let userNotFound = APIError(.notFound, "UserNotFound", "There is no such user.")
  static let keyNotFound = APIError(.notFound, "APIKeyNotFound", "There is no such API key.")
  static let noSuchApp = APIError(.notFound, "AppNotFound", "There is no such app.")
  static let tooManyRequests = APIError(
    .tooManyRequests, "TooManyRequests", "There were too many log-ins; try again later.")
  static let tooLarge = APIError(
    .contentTooLarge, "RequestTooLarge", "The body of the request is too large.")
  static let noSpace = APIError(
    .serviceUnavailable, "Unavailable", "The server cannot store anything now; try again later.")

  static func bad(_ message: String) -> APIError { APIError(.badRequest, "BadRequest", message) }
}

import Hummingbird
import NIOCore

/// A request of the HTTP interface.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Where the request comes from.
  let address: String

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress ?? "?"
  }
}

import SyncProtocol

/// A connection as its app reaches it. Any thread may call.
protocol LinkOutlet: Sendable {
  /// Sends frames in their order; the app hears of it when they have left.
  func send(_ frames: [[UInt8]])
  /// Closes, once what was sent before is on its way.
  func close()
  /// The app has taken so many bytes, so that more may be read.
  func consumed(_ bytes: Int)
}

/// A connection of an app.
struct Link {
  let outlet: any LinkOutlet
  var session: ServerSession
  /// When it was opened, in milliseconds.
  let since: UInt64
  var user: String?
  /// The client file, once it is known.
  var client: ClientID?
  /// The query set that is followed.
  var followed: UInt64?
  /// What is to be sent after the flush.
  var outgoing: [[UInt8]] = []
  var isClosing = false
  /// What has been sent and has not left the server.
  var unsentBytes = 0
  /// Whether there is more to be sent once that has left.
  var isStalled = false

  init(outlet: any LinkOutlet, session: ServerSession, since: UInt64) {
    self.outlet = outlet
    self.session = session
    self.since = since
  }
}

// What goes out to connections.
extension AppHost {
  /// Something was committed: those whom it may concern are looked at.
  func noteNews() {
    let (concerned, unsettled) = core.storage.takeConcerned()
    for client in unsettled { core.reevaluate(client) }
    for client in concerned.union(unsettled) {
      if let id = linkOfClient[client] { waiting.insert(id) }
    }
  }

  /// Follows what the client of a connection wants to see.
  func follow(_ id: LinkID) {
    guard let link = links[id], let client = link.session.client, let file = core.files[client],
      link.followed != file.queryVersion || linkOfClient[client] != id
    else { return }
    linkOfClient[client] = id
    links[id]!.client = client
    links[id]!.followed = file.queryVersion
    core.storage.follow(client, file.subscriptions)
    // What it has missed by changes of other objects is not known.
    if core.storage.looksBack(client) { core.reevaluate(client) }
  }

  /// The connection is gone.
  func forget(_ id: LinkID) {
    if let client = links[id]?.client, linkOfClient[client] == id {
      linkOfClient[client] = nil
      core.storage.follow(client, nil)
    }
    links[id] = nil
    waiting.remove(id)
  }

  /// Sends what sessions wanted sent.
  func deliver() {
    for id in Array(links.keys) where !links[id]!.outgoing.isEmpty || links[id]!.isClosing {
      send(id)
    }
  }

  private func send(_ id: LinkID) {
    guard let link = links[id] else { return }
    if !link.outgoing.isEmpty {
      let bytes = link.outgoing.reduce(0) { $0 + $1.count }
      metrics.framesSent.increment(by: link.outgoing.count)
      metrics.bytesSent.increment(by: bytes)
      link.outlet.send(link.outgoing)
      links[id]!.outgoing = []
      links[id]!.unsentBytes += bytes
    }
    if link.isClosing {
      link.outlet.close()
      forget(id)
    }
  }

  /// Sends one slice to each connection that may have missed something; those that have more to
  /// come, and can take it, stay for the next turn.
  func poll() {
    for id in waiting {
      guard links[id] != nil else {
        waiting.remove(id)
        continue
      }
      if links[id]!.unsentBytes >= limits.unsentBytes {
        links[id]!.isStalled = true
        waiting.remove(id)
        continue
      }
      let actions = links[id]!.session.poll(&core, now: Self.now)
      if actions.isEmpty { waiting.remove(id) }
      perform(actions, id)
      send(id)
    }
  }

  /// Batches of which parts are missing take memory: when all of them together take too much, the
  /// one that has just grown goes.
  func checkMemory(_ id: LinkID) {
    guard let link = links[id], link.session.pendingBytes > 0 else { return }
    let sum = links.values.reduce(0) { $0 + $1.session.pendingBytes }
    if sum > limits.pendingBytes {
      refuse(
        id, SyncError(.unavailable, "The server has no room for the batch now."),
        retryAfterMilliseconds: 10_000)
    }
  }
}

import SyncProtocol

/// A connection of an app.
struct Link {
  let outlet: SocketOutlet
  var session: ServerSession
  /// When it was opened, in milliseconds since the machine has started.
  let since: UInt64
  var user: String?
  /// The newest access token.
  var token: String?
  /// The client file, once it is known.
  var client: ClientID?
  /// The query set that is followed.
  var followed: UInt64?
  /// What is to be sent after the flush.
  var outgoing: [[UInt8]] = []
  var isClosing = false
  /// The bytes of a batch of which parts are missing, as they were counted last.
  var pendingBytes = 0
  /// The bytes of a slice of which parts are still to be sent, as they were counted last.
  var preparedBytes = 0
  /// Since when there is such a slice, in milliseconds since the machine has started.
  var preparedSince: UInt64 = 0
  /// Whether there is more to be sent once that has left.
  var isStalled = false

  init(outlet: SocketOutlet, session: ServerSession, since: UInt64) {
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
    if let first = linkOfClient.updateValue(id, forKey: client), first != id {
      // Its client has lost it without the server's knowing, or the file was copied.
      refuse(
        first, SyncError(.unavailable, "The client file has come by another connection."),
        retryAfterMilliseconds: 10_000)
    }
    if links[id]!.client != client, file.cursor == .zero {
      core.limitFiles(
        of: file.user, to: limits.filesPerUser, keeping: Set(linkOfClient.keys))
    }
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
      core.noteAway(client)
      core.storage.follow(client, nil)
    }
    pendingBytes -= links[id]?.pendingBytes ?? 0
    starved.remove(id)
    countPrepared(id, 0)
    links[id] = nil
    waiting.remove(id)
  }

  /// Sends what sessions wanted sent.
  func deliver() {
    for id in speaking { send(id) }
    speaking = []
  }

  private func send(_ id: LinkID) {
    guard let link = links[id] else { return }
    if !link.outgoing.isEmpty {
      let bytes = link.outgoing.reduce(0) { $0 + $1.count }
      metrics.framesSent.increment(by: link.outgoing.count)
      metrics.bytesSent.increment(by: bytes)
      outbox.send(link.outgoing, to: link.outlet)
      links[id]!.outgoing = []
    }
    if link.isClosing {
      outbox.close(link.outlet)
      forget(id)
    }
  }

  /// Sends the next part to each connection that may have missed something; those that have more to
  /// come, and can take it, stay for the next turn.
  func poll() {
    for id in waiting {
      guard let unsent = links[id]?.outlet.unsent else {
        waiting.remove(id)
        continue
      }
      if unsent.count >= limits.unsentBytes, unsent.awaitLess(than: limits.unsentBytes) {
        links[id]!.isStalled = true
        waiting.remove(id)
        continue
      }
      if preparedBytes >= limits.preparedBytes, links[id]!.preparedBytes == 0 {
        starved.insert(id)
        waiting.remove(id)
        continue
      }
      core.storage.renewAllowance()
      let actions = links[id]!.session.poll(&core, now: Self.now)
      countPrepared(id, links[id]!.session.unsentBytes)
      if actions.isEmpty { waiting.remove(id) }
      perform(actions, id)
      send(id)
      speaking.remove(id)
    }
  }

  /// Slices of which parts are still to be sent take memory: when those of all connections take too
  /// much, no more are made until some have left.
  private func countPrepared(_ id: LinkID, _ bytes: Int) {
    guard let link = links[id], link.preparedBytes != bytes else { return }
    preparedBytes += bytes - link.preparedBytes
    links[id]!.preparedBytes = bytes
    links[id]!.preparedSince = Self.uptime
    guard preparedBytes < limits.preparedBytes else { return }
    waiting.formUnion(starved)
    starved = []
  }

  /// Who takes its slice very slowly may not keep all others waiting: while some wait, the one that
  /// has had its slice for longest goes, and comes again later.
  func makeRoom() {
    if starved.isEmpty { return }
    let patience = UInt64(max(0, limits.sliceMilliseconds))
    let slow = links.filter {
      $0.value.preparedBytes > 0 && !$0.value.isClosing
        && Self.uptime - $0.value.preparedSince > patience
    }
    guard let id = slow.min(by: { $0.value.preparedSince < $1.value.preparedSince })?.key else {
      return
    }
    refuse(
      id, SyncError(.unavailable, "Others wait for the room that the download takes."),
      retryAfterMilliseconds: 30_000)
  }

  /// Batches of which parts are missing take memory: when all of them together take too much, the
  /// one that has just grown goes.
  func checkMemory(_ id: LinkID) {
    guard let link = links[id], link.session.pendingBytes != link.pendingBytes else { return }
    pendingBytes += link.session.pendingBytes - link.pendingBytes
    links[id]!.pendingBytes = link.session.pendingBytes
    if pendingBytes > limits.pendingBytes, link.session.pendingBytes > 0 {
      refuse(
        id, SyncError(.unavailable, "The server has no room for the batch now."),
        retryAfterMilliseconds: 10_000)
    }
  }
}

#if Sync
  import Foundation
  import ObjectStore
  import Storage
  import SyncProtocol
  import SyncStore
  import SyncTransport

  // Connections of the agent: one after the other, with pauses that grow while none is of use.
  extension SyncAgent {
    /// The pause after the first failure, and the longest one.
    private static var firstPauseMilliseconds: Int { 200 }
    private static var pauseMillisecondsMax: Int { 300_000 }
    /// A connection that lasted for so long was of use.
    private static var usefulMicroseconds: UInt64 { 10_000_000 }

    func connect() {
      phase = .connecting
      connection += 1
      let number = connection
      changeStatus { $0.connection = .connecting }
      isHurried = false
      hasNewToken = wantsNewToken
      wantsNewToken = false
      user.accessToken(new: hasNewToken) { [weak self] result in
        self?.loop.execute { [weak self] in self?.gotToken(result, number) }
      }
    }

    private func gotToken(_ result: Result<String, AppError>, _ number: Int) {
      guard number == connection, case .connecting = phase else { return }
      switch result {
      case .failure(let error):
        if error.code != .httpRequestFailed {
          report(.clientUserError, "The user has to log in again: \(error.localizedDescription)")
        }
        retry(because: error.localizedDescription)
      case .success(let token): open(token, number)
      }
    }

    private var timeouts: SyncTimeoutOptions {
      user.app.syncManager.timeoutOptions ?? SyncTimeoutOptions()
    }

    private func open(_ token: String, _ number: Int) {
      let manager = user.app.syncManager
      WebSocket.connect(
        to: user.app.endpoint, path: "/sync/\(user.app.appId)", headers: manager.headers,
        timeoutMilliseconds: timeouts.connectTimeout.asTimeout, on: loop,
        WebSocket.Events(
          opened: { [weak self] socket in self?.opened(socket, token, number) },
          received: { [weak self] bytes in self?.received(bytes, number) },
          closed: { [weak self] error in self?.closed(error, number) }))
    }

    private func opened(_ socket: WebSocket, _ token: String, _ number: Int) {
      guard number == connection, case .connecting = phase else { return socket.close() }
      self.socket = socket
      heardAt = microseconds
      guard let classes = syncedClasses() else {
        return retry(because: "The file cannot be read.")
      }
      sentClasses = classes
      let session = ClientSession(
        app: Text(user.app.appId), token: Text(token), classes: classes,
        discardsUnsynced: discardsUnsynced, goingOnWith: interrupted)
      self.session = session
      interrupted = nil
      send(session.start())
      watch(number)
      limitHandshake(number)
    }

    /// Gives up a connection on which the server answers pings and nothing else.
    private func limitHandshake(_ number: Int) {
      let limit = timeouts.connectTimeout.asTimeout
      handshake = loop.after(milliseconds: limit) { [weak self] in
        guard let self, number == connection, !isReady else { return }
        retry(because: "The server has not answered the handshake within \(limit) ms.")
      }
    }

    /// The classes of the file, which other processes may have added to.
    func syncedClasses() -> [SchemaClass]? {
      do throws(StorageError) {
        let newest = try database.pinNewest()
        return try schemas.schema(newest.root, in: newest.source).description.syncedClasses
      } catch {
        log(.error) { "The agent cannot read: \(error)" }
        return nil
      }
    }

    private func closed(_ error: TransportError?, _ number: Int) {
      guard number == connection else { return }
      let message = error?.message ?? "The server has ended the connection."
      if let status = error?.status, Self.isRefusal(status) {
        report(.clientSessionError, "There is no sync of the app '\(user.app.appId)': \(message)")
      }
      retry(because: message)
    }

    /// Whether an answer to the wish for a connection says that there will be none, and not that
    /// there is none now.
    private static func isRefusal(_ status: Int) -> Bool {
      (400..<500).contains(status) && ![408, 425, 429].contains(status)
    }

    /// Ends the connection, if there is one.
    func disconnect() {
      connection += 1
      keepalive?.cancel()
      keepalive = nil
      handshake?.cancel()
      handshake = nil
      socket?.close()
      socket = nil
      if let session { interrupted = session.interrupted }
      session = nil
      isReady = false
      mark.restart()
    }

    /// Connects again, after a pause.
    ///
    /// - Parameter reason: why there is no connection, for those who do not wait for one.
    func retry(because reason: String) {
      log(.detail) { "no connection: \(reason)" }
      if hasLasted { failures = 0 }
      let wanted = Int(clamping: session?.retryAfterMilliseconds ?? 0)
      disconnect()
      let shift = min(failures, 12)
      let longest = min(Self.pauseMillisecondsMax, Self.firstPauseMilliseconds << shift)
      failures += 1
      var pause = max(
        Int.random(in: longest / 2...longest), min(wanted, Self.pauseMillisecondsMax))
      if isHurried {
        isHurried = false
        failures = 0
        pause = 0
      }
      phase = .waits(
        loop.after(milliseconds: pause) { [weak self] in
          guard let self, case .waits = phase else { return }
          connect()
        })
      // What is to come of a download that goes on is not less than it was.
      if interrupted == nil { objectsToCome = 0 }
      let toCome = objectsToCome
      changeStatus {
        $0.connection = .disconnected
        $0.objectsToCome = toCome
        $0.failedConnections += 1
        $0.failedConnectionMessage = reason
      }
    }

    /// Whether the connection was of use for being there.
    var hasLasted: Bool { isReady && microseconds - readySince > Self.usefulMicroseconds }

    /// Connects again at once, where the next connection will fare better.
    func reconnect() {
      disconnect()
      connect()
    }

    /// Sees to it that a connection that has died is noticed.
    private func watch(_ number: Int) {
      let timeouts = timeouts
      let period = max(timeouts.pingKeepalivePeriod.asTimeout, 100)
      let limit = timeouts.pongKeepaliveTimeout.asTimeout
      keepalive = loop.after(milliseconds: period) { [weak self] in
        guard let self, number == connection else { return }
        let silence = (microseconds - heardAt) / 1000
        if silence > UInt64(period + limit) {
          return retry(because: "The server has been silent for \(silence) ms.")
        }
        socket?.send(Frame.ping(0).encoded)
        watch(number)
      }
    }

    func send(_ actions: [SessionAction]) {
      for action in actions {
        switch action {
        case .send(let bytes): socket?.send(bytes)
        case .verify, .close: break
        }
      }
    }

    /// Lets the sessions of all processes know of an error.
    func report(_ code: SyncError.Code, _ message: String) {
      log(.error) { message }
      changeStatus { $0.note(error: Int64(code.rawValue), message) }
    }
  }
#endif

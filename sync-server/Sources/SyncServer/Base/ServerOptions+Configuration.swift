import Configuration

extension ServerOptions {
  /// Takes over what a source of configuration says; the rest stays.
  public mutating func apply(_ config: ConfigReader) {
    host = config.string(forKey: "host", default: host)
    port = config.int(forKey: "port", default: port)
    portFile = config.string(forKey: "portFile") ?? portFile
    certificate = config.string(forKey: "tls.certificate") ?? certificate
    key = config.string(forKey: "tls.key") ?? key
    isDevelopment = config.bool(forKey: "development", default: isDevelopment)
    accessTokenSeconds = config.double(forKey: "accessTokenSeconds", default: accessTokenSeconds)
    refreshTokenSeconds = config.double(
      forKey: "refreshTokenSeconds", default: refreshTokenSeconds)
    limits.apply(config.scoped(to: "limits"))
  }
}

extension ServerLimits {
  fileprivate mutating func apply(_ config: ConfigReader) {
    func set(_ key: ConfigKey, _ value: inout Int) {
      value = config.int(forKey: key, default: value)
    }
    set("connections", &connections)
    set("userConnections", &connectionsPerUser)
    set("addressConnections", &connectionsPerAddress)
    set("userFiles", &filesPerUser)
    set("subscriptionBytes", &subscriptionBytes)
    set("queryRows", &queryRows)
    set("addressLogins", &loginsPerMinute)
    set("framesPerSecond", &framesPerSecond)
    set("unreadBytes", &unreadBytes)
    set("unsentBytes", &unsentBytes)
    set("preparedBytes", &preparedBytes)
    set("sliceMilliseconds", &sliceMilliseconds)
    set("pendingBytes", &pendingBytes)
    set("tickMilliseconds", &tickMilliseconds)
    set("apps", &apps)
    set("requestBytes", &requestBytes)
    set("failedLogins", &failedLogins)
    failedLoginSeconds = config.double(forKey: "failedLoginSeconds", default: failedLoginSeconds)
    shutdownSeconds = config.double(forKey: "shutdownSeconds", default: shutdownSeconds)
    if let days = config.int(forKey: "offlineDays"), days > 0 {
      horizonMilliseconds = UInt64(days) * 24 * 3_600_000
    }
  }
}

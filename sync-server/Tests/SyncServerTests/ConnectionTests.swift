import Crypto
import Foundation
import NIOSSL
import ServerKit
import SyncProtocol
import Testing
import X509

@testable import SyncServer

/// How connections are made, and what ends them.
@Suite struct ConnectionTests {
  @Test func encryptedConnectionsWork() async throws {
    let server = try ServerProcess()
    try await server.start()
    let token = try await server.anonymous()
    _ = server.stop()
    let key = P256.Signing.PrivateKey()
    let name = try DistinguishedName { CommonName("localhost") }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(),
      publicKey: Certificate.PublicKey(key.publicKey), notValidBefore: Date() - 3_600,
      notValidAfter: Date() + 3_600, issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        SubjectAlternativeNames([.dnsName("localhost")])
      }, issuerPrivateKey: Certificate.PrivateKey(key))
    let (chain, secret) = (server.folder.path + "/chain.pem", server.folder.path + "/key.pem")
    let text = try certificate.serializeAsPEM().pemString
    try text.write(toFile: chain, atomically: true, encoding: .utf8)
    try key.pemRepresentation.write(toFile: secret, atomically: true, encoding: .utf8)
    try await server.start(["--certificate", chain, "--key", secret])
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(chain))
    let context = try NIOSSLContext(configuration: configuration)
    let device = Device(1)
    try await device.write { core in
      core.subscribe()
      core.addTask(1, title: "in secret")
    }
    try await device.connect(server, token: token, tls: context)
    try await device.waitForUpload()
    await #expect(throws: (any Error).self) {
      try await Device(2).connect(server, token: token)
    }
  }

  @Test func aUserHasSoManyConnections() async throws {
    let server = try ServerProcess()
    try await server.start(environment: ["SYNC_SERVER_LIMITS_USER_CONNECTIONS": "2"])
    let token = try await server.anonymous()
    let devices = (1...3).map { Device(UInt64($0)) }
    for device in devices[..<2] {
      try await device.write { $0.subscribe() }
      try await device.connect(server, token: token)
      try await device.wait("the download") { core, _ in
        core.storage.record.completeQueryVersion == 1
      }
    }
    try await devices[2].connect(server, token: token)
    try await devices[2].wait("the refusal") { _, session in session == nil }
    #expect(try await devices[2].onLoop { $0.failure?.code } == .beyondLimit)
    try await devices[0].disconnect()
    let another = Device(4)
    try await another.write { $0.addTask(1, title: "a") }
    // The server may hear of the end a moment later than the device.
    for _ in 0..<100 {
      try await another.connect(server, token: token)
      try await another.wait("the upload or the refusal") { core, session in
        !core.isDirty || session == nil
      }
      if try await another.read({ !$0.isDirty }) { break }
    }
    #expect(try await another.read { !$0.isDirty })
  }

  @Test func aDisabledUserLosesTheConnection() async throws {
    let server = try ServerProcess()
    try await server.start(environment: ["SYNC_SERVER_LIMITS_TICK_MILLISECONDS": "20"])
    let known = try await server.ask(
      "POST", "/api/app/demo/auth/login", ["provider": "anon-user"])
    let device = Device(1)
    try await device.write { core in
      core.subscribe()
      core.addTask(1, title: "a")
    }
    try await device.connect(server, token: known.text("access_token"))
    try await device.waitForUpload()
    #expect(try server.run(["user", "disable", "demo", known.text("user_id")]).status == 0)
    try await device.wait("the end") { _, session in session == nil }
    #expect(try await device.onLoop { $0.failure?.code } == .tokenExpired)
  }

  @Test func configurationComesFromFilesToo() async throws {
    let server = try ServerProcess()
    let config = server.folder.path + "/config.json"
    try #"{"development": false}"#.write(toFile: config, atomically: true, encoding: .utf8)
    try await server.start(["--config", config])
    let refused = try await server.ask(
      "POST", "/api/app/demo/auth/login", ["provider": "anon-user"])
    #expect(refused.status == 404 && refused.text("error_code") == "AppNotFound")
  }

  @Test func aClientThatTakesNothingDoesNotKeepOthersWaiting() async throws {
    let server = try ServerProcess()
    try await server.start(environment: [
      "SYNC_SERVER_LIMITS_PREPARED_BYTES": "1", "SYNC_SERVER_LIMITS_SLICE_MILLISECONDS": "500",
      "SYNC_SERVER_LIMITS_UNSENT_BYTES": "65536", "SYNC_SERVER_LIMITS_TICK_MILLISECONDS": "100",
    ])
    let token = try await server.anonymous()
    let (writer, slow, other) = (Device(1), Device(2), Device(3))
    try await slow.write { $0.subscribe() }
    try await slow.connect(server, token: token)
    try await slow.wait("its download") { core, _ in core.storage.record.completeQueryVersion == 1 }
    try await slow.setReading(false)
    // One commit is one slice, of more than sockets take.
    let title = String(repeating: "long ", count: 100_000)
    try await writer.write { core in
      for number in 1...60 { core.addTask(Int64(number), title: title) }
    }
    try await writer.connect(server, token: token)
    try await writer.waitForUpload(seconds: 60)
    try await other.write { $0.subscribe() }
    try await other.connect(server, token: token)
    try await other.wait("all that there is", seconds: 60) { core, _ in core.tasks.count == 60 }
    try await slow.setReading(true)
    try await slow.wait("the end of its connection") { _, session in session == nil }
    #expect(try await slow.onLoop { $0.failure?.code } == .unavailable)
  }

  @Test func shuttingDownTellsTheClients() async throws {
    let server = try ServerProcess()
    try await server.start()
    let device = Device(1)
    try await device.write { $0.subscribe() }
    try await device.connect(server, token: try await server.anonymous())
    try await device.write { $0.addTask(1, title: "a") }
    try await device.waitForUpload()
    #expect(server.stop() == 0)
    try await device.wait("the end") { _, session in session == nil }
    #expect(try await device.onLoop { $0.failure?.code } == .unavailable)
  }

  /// Of two copies of a file each ends the other's connection, and nothing of either is lost.
  @Test func aClientFileHasOneConnection() async throws {
    let server = try ServerProcess()
    try await server.start()
    let token = try await server.anonymous()
    let (file, copy) = (Device(1), Device(1))
    for device in [file, copy] { try await device.write { $0.subscribe() } }
    try await file.connect(server, token: token)
    try await file.write { $0.addTask(1, title: "of the file") }
    try await file.waitForUpload()
    try await copy.write { $0.addTask(2, title: "of the copy") }
    try await copy.connect(server, token: token)
    try await file.wait("the end of the first connection") { _, session in session == nil }
    #expect(try await file.onLoop { $0.failure?.code } == .unavailable)
    try await copy.waitForUpload()
    try await copy.wait("what the file has written") { core, _ in core.tasks.count == 2 }
    try await file.write { $0.addTask(3, title: "of the file") }
    try await file.connect(server, token: token)
    try await file.waitForUpload()
    try await file.wait("what the copy has written") { core, _ in core.tasks.count == 3 }
  }

  /// Commits concern those whose queries look at what was and at what is, and no others.
  @Test func aChangeConcernsThoseWhoLookAtIt() async throws {
    let bench = try CoreBench()
    func follow(_ number: UInt64, _ query: String) {
      bench.core.storage.follow(
        ClientID(number), [Subscription(type: Device.task, query: Text(query))])
    }
    for number in 1...2_000 { follow(UInt64(number), "owner == 'user \(number)'") }
    follow(3_001, "priority > 5")
    follow(3_002, "priority > 5")
    follow(3_003, "owner IN {'user 7', 'user 8'} AND priority == 1")
    follow(3_004, "")
    follow(3_005, "ANY tags == 'urgent'")
    _ = bench.core.storage.takeConcerned()
    func upload() throws -> Set<UInt64> {
      try bench.upload()
      return Set(bench.core.storage.takeConcerned().concerned.map(\.rawValue))
    }
    bench.client.addTask(1, title: "a", owner: "user 7", priority: 1)
    #expect(try upload() == [7, 3_003, 3_004])
    bench.client.set("owner", .string("user 9"), bench.client.task(1))
    #expect(try upload().isSuperset(of: [7, 9, 3_003, 3_004]))
    bench.client.set("priority", .int(6), bench.client.task(1))
    #expect(try upload() == [9, 3_001, 3_002, 3_004])
    bench.client.insert(
      .string("urgent"), at: 0, of: bench.client.collection("tags"), in: bench.client.task(1),
      now: Device.now)
    #expect(try upload() == [9, 3_001, 3_002, 3_004, 3_005])
    bench.core.storage.follow(ClientID(9), nil)
    bench.core.storage.follow(ClientID(3_004), nil)
    bench.client.delete(bench.client.task(1), now: Device.now)
    #expect(try upload() == [3_001, 3_002, 3_005])
  }
}

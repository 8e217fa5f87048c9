import Glibc
import Platform
import TestSupport
import Testing

@testable import Coordination

/// Whose the lock-file is. Processes of other users are started with `setpriv`, which only root
/// may.
@Suite struct PermissionTests {
  let database = Database()
  private static let isRoot = geteuid() == 0
  private static let owner: UInt32 = 4242
  private static let stranger: UInt32 = 4343

  /// Makes the data file of the owner, in a directory that anybody may write to.
  private func makeFile(mode: UInt32, group: UInt32 = owner) throws {
    unsafe chmod(database.directory.path, 0o777)
    let file = try database.dataFile()
    try file.setPermissions(FilePermissions(owner: Self.owner, group: group, mode: mode))
    file.close()
  }

  private func process(user: UInt32, groups: [UInt32] = []) throws -> ChildProcess {
    let list = groups.map(String.init).joined(separator: ",")
    return try database.process(prefix: [
      "setpriv", "--reuid=\(user)", "--regid=\(user)",
      groups.isEmpty ? "--clear-groups" : "--groups=\(list)",
    ])
  }

  private func permissions() throws -> FilePermissions {
    let file = try PosixSystem.shared.openFile(path: database.lockPath, mode: .readOnly)
    defer { file.close() }
    return try file.permissions()
  }

  @Test func `the lock-file has the mode of the data file`() throws {
    for mode in [0o600, 0o640, 0o664, 0o666] as [UInt32] {
      let file = try database.dataFile()
      var wanted = try file.permissions()
      wanted.mode = mode
      try file.setPermissions(wanted)
      file.close()
      try database.open().lockFile.close()
      #expect(try permissions() == wanted)
    }
  }

  @Test(.enabled(if: isRoot))
  func `root leaves the owner a lock-file that he can use`() throws {
    try makeFile(mode: 0o640)
    let child = try process(user: Self.owner)
    let lockFile = try database.open().lockFile
    #expect(try child.ask("open") == "member")
    #expect(try child.ask("close") == "closed")
    lockFile.close()
    #expect(
      try permissions() == FilePermissions(owner: Self.owner, group: Self.owner, mode: 0o640))
    #expect(try child.ask("open") == "alone")
  }

  @Test(.enabled(if: isRoot))
  func `a lock-file that the owner may not open is replaced when nobody uses it`() throws {
    try makeFile(mode: 0o600)
    try PosixSystem.shared.openFile(path: database.lockPath, mode: .createNew).close()
    let child = try process(user: Self.owner)
    #expect(try child.ask("open") == "alone")
    #expect(try permissions().owner == Self.owner)
  }

  @Test(.enabled(if: isRoot))
  func `another user's lock-file lets the owner in`() throws {
    try makeFile(mode: 0o666)
    let stranger = try process(user: Self.stranger)
    #expect(try stranger.ask("open") == "alone")
    let owner = try process(user: Self.owner)
    #expect(try owner.ask("open") == "member")
  }

  @Test(.enabled(if: isRoot))
  func `a member of the group shares its lock-file with the group`() throws {
    try makeFile(mode: 0o660)
    let colleague = try process(user: Self.stranger, groups: [Self.owner])
    #expect(try colleague.ask("open") == "alone")
    #expect(
      try permissions() == FilePermissions(owner: Self.stranger, group: Self.owner, mode: 0o660))
    let owner = try process(user: Self.owner)
    #expect(try owner.ask("open") == "member")
  }

  @Test(.enabled(if: isRoot))
  func `a symbolic link or a second name in the lock-file's place is left alone`() throws {
    let treasure = database.directory.file("treasure")
    try PosixSystem.shared.openFile(path: treasure, mode: .create).close()
    try scribble(Array("gold".utf8), at: 0, of: treasure)
    try makeFile(mode: 0o600)
    for isSymbolic in [true, false] {
      let result =
        unsafe isSymbolic
        ? symlink(treasure, database.lockPath) : link(treasure, database.lockPath)
      #expect(result == 0)
      #expect(throws: LockFileError.self) { try database.open() }
      #expect(unsafe unlink(database.lockPath) == 0)
    }
    let file = try PosixSystem.shared.openFile(path: treasure, mode: .readOnly)
    #expect(try file.size() == 4)
    #expect(try file.permissions().owner == 0)
  }
}

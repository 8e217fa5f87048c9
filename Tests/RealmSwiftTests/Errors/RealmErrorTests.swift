import Foundation
import Storage
import Testing

@testable import RealmSwift

@Suite struct RealmErrorTests {
  private func fail(_ code: Realm.Error.Code) throws {
    throw Realm.Error(code, userInfo: [NSLocalizedDescriptionKey: "it failed"])
  }

  @Test func isCaughtByCodeName() {
    var caught = ""
    do {
      try fail(.fileAccess)
    } catch Realm.Error.fileNotFound {
      caught = "fileNotFound"
    } catch Realm.Error.fileAccess {
      caught = "fileAccess"
    } catch {
      caught = "other"
    }
    #expect(caught == "fileAccess")
  }

  @Test func `printing one shows its sentence, path and code`() {
    let error = Realm.Error(.fileAccess, "The file cannot be read [/a.realm]", path: "/a.realm")
    #expect(
      "\(error)" == "The file cannot be read [/a.realm] (Realm.Error.fileAccess, code 2)")
  }

  @Test func `two of the same code and words are equal, and others are not`() {
    let error = Realm.Error(.fileAccess, "It failed.")
    #expect(error == Realm.Error(.fileAccess, "It failed."))
    #expect(error != Realm.Error(.fileNotFound, "It failed."))
    #expect(error != Realm.Error.callFailed)
  }

  @Test func codeIsComparedByName() throws {
    let error = try #require(throws: Realm.Error.self) { try fail(.outOfDiskSpace) }
    #expect(error.code == .outOfDiskSpace)
    let code: Realm.Error.Code = error.code
    #expect(code.rawValue == 14)
    switch error.code {
    case .outOfDiskSpace: break
    default: Issue.record("the switch missed the code")
    }
  }

  @Test func isCaughtAsNSError() {
    do {
      try fail(.schemaMismatch)
    } catch let error as NSError {
      #expect(error.domain == "io.realm")
      let code: Int = error.code
      #expect(code == 10)
      #expect(error.localizedDescription == "it failed")
    }
  }

  @Test func errorsAreEqualByDomainAndCode() {
    let left: any Error = Realm.Error(.fail)
    let right: any Error = Realm.Error(.fail, userInfo: [NSLocalizedDescriptionKey: "other text"])
    let other: any Error = Realm.Error(.fileExists)
    #expect(left == right)
    #expect(!(left == other))
  }

  @Test(arguments: [
    (StorageError.Code.corrupt, Realm.Error.Code.invalidDatabase),
    (.outOfDiskSpace, .outOfDiskSpace), (.permissionDenied, .filePermissionDenied),
    (.incompatibleLockFile, .incompatibleLockFile), (.inputOutput, .fileOperationFailed),
  ])
  func storageErrorsKeepCodePathAndMessage(stored: StorageError.Code, code: Realm.Error.Code) {
    let error = #expect(throws: Realm.Error.self) {
      try rethrowingStorageErrors { () throws(StorageError) in
        throw StorageError(stored, path: "/data/a.realm", "could not do it")
      }
    }
    #expect(error?.code == code)
    #expect(error?.fileURL?.path == "/data/a.realm")
    #expect(error?.localizedDescription == "could not do it [/data/a.realm]")
  }
}

import RealmSwift

/// Copies, data in memory, errors, and a file of an earlier version of the program.
struct Files {
  let realm: Realm
  let folder: URL

  func run() throws {
    try copies()
    try memory()
    try migration()
    try errors()
  }

  private func copies() throws {
    let url = folder.appendingPathComponent("copy.realm")
    try realm.writeCopy(toFile: url)
    let copy = try Realm(fileURL: url)
    expect(copy.objects(Novel.self).count == 3, "a copy has everything")
    expect(copy != realm, "and is another realm")
    var reading = copy.configuration
    reading.fileURL = folder.appendingPathComponent("bundled.realm")
    try realm.writeCopy(configuration: reading)
    reading.readOnly = true
    expect(try Realm(configuration: reading).objects(Author.self).count == 5, "for reading alone")
  }

  private func memory() throws {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: "guide-\(UUID().uuidString)", objectTypes: [Notice.self])
    let scratch = try Realm(configuration: configuration)
    try scratch.write { scratch.create(Notice.self, value: ["id": 2, "text": "Draft"]) }
    expect(scratch.objects(Notice.self).count == 1, "data that is in memory")
    expect(realm.objects(Notice.self).count == 1, "is by itself")
  }

  private func migration() throws {
    let url = folder.appendingPathComponent("members.realm")
    let old = Realm.Configuration(fileURL: url, objectTypes: [OldMember.self])
    try autoreleasepool {
      let realm = try Realm(configuration: old)
      try realm.write {
        for (number, name) in [("12", "Ada"), ("7", "Bo")] {
          realm.create(OldMember.self, value: [number, name, "Example", 30] as [Any])
        }
      }
    }
    let new = Realm.Configuration(
      fileURL: url, schemaVersion: 1,
      migrationBlock: { migration, oldVersion in
        guard oldVersion < 1 else { return }
        migration.renameProperty(onType: "Subscriber", from: "lastName", to: "surname")
        migration.enumerateObjects(ofType: "Subscriber") { old, new in
          new!["number"] = Int(old!["number"] as! String)
          new!["fullName"] = "\(old!["firstName"]!) \(old!["lastName"]!)"
        }
        migration.create("Subscriber", value: ["number": 99, "fullName": "The House"])
      }, objectTypes: [NewMember.self])
    let realm = try Realm(configuration: new)
    let members = realm.objects(NewMember.self).sorted(by: \.number)
    expect(members.map(\.number) == [7, 12, 99], "keys of another type")
    expect(members[1].fullName == "Ada Example", "two properties in one")
    expect(members[0].surname == "Example" && members[0].fee == 30, "renamed, and widened")
    expect(try schemaVersionAtURL(url) == 1, "the file knows its version")
  }

  private func errors() throws {
    let url = folder.appendingPathComponent("members.realm")
    do {
      _ = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [OldMember.self]))
      expect(false, "an old program does not open a new file")
    } catch Realm.Error.schemaMismatch {
    } catch let error as NSError {
      expect(false, "\(error.domain) \(error.code)")
    }
    let missing = Realm.Configuration(
      fileURL: folder.appendingPathComponent("missing.realm"), readOnly: true, objectTypes: [])
    do {
      _ = try Realm(configuration: missing)
      expect(false, "there is nothing to read")
    } catch let error as Realm.Error {
      expect(error.code == .fileNotFound, "\(error)")
    }
    expect(Realm.fileExists(for: missing) == false, "and nothing was made")
  }
}

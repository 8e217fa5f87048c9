/// What a program does with objects through the public API, beside the other stores.
struct ObjectWorkloads {
  let harness: Harness

  func run() throws {
    let groups: [(String, () throws -> Void)] = [
      ("writing", InsertWorkloads(harness: harness).run),
      ("writing", WideWorkloads(harness: harness).run),
      ("writing", CommitWorkloads(harness: harness).run),
      ("reading", ReadWorkloads(harness: harness).run),
      ("querying", QueryWorkloads(harness: harness).run),
      ("querying", IndexWorkloads(harness: harness).run),
      ("querying", BuildIndexWorkloads(harness: harness).run),
      ("sorting", SortWorkloads(harness: harness).run),
      ("deleting", DeleteWorkloads(harness: harness).run),
      ("links and lists", LinkWorkloads(harness: harness).run),
      ("observing", ObserveWorkloads(harness: harness).run),
      ("versions", VersionWorkloads(harness: harness).run),
      ("opening", OpeningWorkloads(harness: harness).run),
      ("encryption", EncryptionWorkloads(harness: harness).run),
    ]
    for (group, run) in groups {
      harness.group = group
      try run()
    }
  }
}

extension ServerCore {
  /// Forgets what no client can name any more: marks of removed elements, keys and members, and
  /// dead objects.
  ///
  /// Marks go when all clients have passed the version in which they were made. Dead objects go
  /// later, when all clients have confirmed to have forgotten them as well: the next creation has
  /// the first generation again, which others could take for the old one.
  /// What was deleted since a download under way was looked at last is yet to be part of it.
  /// Client files that were away since before `expiry` are not waited for: they start over. Those
  /// away since before `removal` are forgotten, with what they held.
  public mutating func trim(expiry: UInt64, removal: UInt64 = 0) throws(SyncError) {
    precondition(!needsFlush)
    for (id, file) in files where file.isExpired && file.lastSeen < removal {
      files[id] = nil
      downloads[id] = nil
      noteFile(id)
    }
    for (id, file) in files where !file.isExpired && file.lastSeen < expiry {
      files[id]?.isExpired = true
      noteFile(id)
    }
    // Who starts over and had not come as far as the floor has missed what was forgotten before.
    let waited = files.values.filter { file in
      !file.isExpired && file.passed.map { $0 >= head.floor } == true
    }
    let underWay = downloads.values.map(\.frame.to).min() ?? head.version
    let floor = min(waited.compactMap(\.passed).min() ?? head.version, underWay)
    if floor > head.floor {
      head.floor = floor
      noteHead()
    }
    if trimmedFloor != head.floor { try trimMarks() }
    let deadFloor = min(head.floor, waited.map(\.confirmedFloor).min() ?? head.floor)
    for id in try storage.deadObjects(upTo: deadFloor) { forget(id) }
    try flush()
  }

  /// Marks of versions up to the floor: there are no others to forget until it rises.
  private mutating func trimMarks() throws(SyncError) {
    var unflushed = 0
    for id in try storage.objectsWithMarks() {
      guard var object = try storage.object(id), object.trim(head.floor) else { continue }
      objects[id] = object
      noteObject(id)
      unflushed += 1
      // Of very many not all are in memory at once.
      guard unflushed == Self.trimmedAtOnce else { continue }
      try flush()
      unflushed = 0
    }
    trimmedFloor = head.floor
  }

  private static var trimmedAtOnce: Int { 1_000 }
}

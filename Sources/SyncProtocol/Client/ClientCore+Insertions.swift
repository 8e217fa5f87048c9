/// Elements that were inserted into a list at once, before that is noted.
package struct PastInsertion {
  /// Where the first one is, in the list as it was then; the others are behind it.
  package var index: Int
  package var count: Int
  /// When the first one was written, by the client's clock; the others came at once after it.
  package var time: UInt64

  package init(index: Int, count: Int, time: UInt64) {
    self.index = index
    self.count = count
    self.time = time
  }
}

extension ClientCore {
  /// Takes note of elements that were inserted into a list one after the other, with values that
  /// make no containers: what `insert` would note of each, with the object's state looked up once.
  ///
  /// - Returns: false, with nothing noted, if there is no such list or not such an index.
  package mutating func note(
    _ insertions: [PastInsertion], into list: ContainerID, of id: ObjectID
  ) -> Bool {
    guard let first = insertions.first, var state = storage.takeState(of: id) else {
      return false
    }
    defer { storage.putState(state, of: id) }
    let record = storage.record
    state.prepare(list, for: .item(ElementID(client: record.client, number: first.time)))
    // Taken out, so that it is changed in place.
    guard var container = state.containers.removeValue(forKey: list) else { return false }
    defer { state.containers[list] = container }
    guard Self.fit(insertions, in: container.list?.count ?? 0),
      var order = container.list.take()
    else { return false }
    let cursor = record.cursor
    var newest = record.elements
    for insertion in insertions {
      var time = insertion.time
      let client = record.author(at: time)
      for offset in 0..<insertion.count {
        if offset > 0 { time = HybridClock.last(of: 2, from: time) }
        let stamp = Stamp(time: time, client: client)
        let element = ElementID(client: client, number: element(at: time, after: newest))
        newest = max(newest, element.number)
        order.put(element, at: insertion.index + offset, stamp: stamp, cursor: cursor)
        container.dirty[.item(element)] = CellStamp(stamp)
      }
    }
    container.list = order
    state.noteDirty(at: first.time)
    storage.record.elements = newest
    return true
  }

  private static func fit(_ insertions: [PastInsertion], in count: Int) -> Bool {
    var count = count
    for insertion in insertions {
      guard (0...count).contains(insertion.index), insertion.count >= 0 else { return false }
      count += insertion.count
    }
    return true
  }
}

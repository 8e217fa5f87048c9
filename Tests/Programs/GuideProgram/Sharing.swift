import RealmSwift

/// Other threads, frozen objects, observers.
struct Sharing {
  let realm: Realm

  func run() throws {
    try frozen()
    try threads()
    observing()
  }

  private func frozen() throws {
    let cosmos = realm.object(ofType: Novel.self, forPrimaryKey: "978-2")!
    let snapshot = cosmos.freeze()
    try realm.write { cosmos.pages = 400 }
    expect(snapshot.isFrozen && snapshot.pages == 396, "a frozen object stays as it was")
    expect(snapshot.thaw()?.pages == 400, "and leads back to the live one")
    try realm.write { cosmos.pages = 396 }
  }

  private func threads() throws {
    let cosmos = realm.object(ofType: Novel.self, forPrimaryKey: "978-2")!
    let reference = ThreadSafeReference(to: cosmos)
    let queue = DispatchQueue(label: "guide")
    queue.sync {
      let other = try! Realm(queue: queue)
      let book = other.resolve(reference)!
      try! other.write { book.keywords.insert("stars") }
    }
    realm.refresh()
    expect(cosmos.keywords.contains("stars"), "what another thread wrote is seen")
  }

  private func observing() {
    let thread = LoopThread(name: "observer")
    let seen = DispatchSemaphore(value: 0)
    thread.performAndWait {
      let own = try! Realm()
      let token = own.objects(Notice.self).observe { change in
        switch change {
        case .initial(let notices): expect(notices.isEmpty, "no notice yet")
        case .update(let notices, _, let insertions, _):
          if insertions.map({ notices[$0].text }) == ["Closed on Monday"] { seen.signal() }
        case .error(let error): expect(false, "\(error)")
        }
      }
      unsafe Keeper.tokens.append(token)
    }
    let json = Data(#"{"id": 1, "text": "Closed on Monday", "tags": ["hours"]}"#.utf8)
    let notice = try! JSONDecoder().decode(Notice.self, from: json)
    thread.performAndWait {}
    try! realm.write { realm.add(notice) }
    expect(seen.wait(timeout: .now() + 30) == .success, "the observer was called")
    thread.performAndWait { unsafe Keeper.tokens = [] }
    thread.join()
  }

  /// What keeps observing; used on one thread.
  private enum Keeper {
    nonisolated(unsafe) static var tokens: [NotificationToken] = []
  }
}

import SyncProtocol

/// What happens in a run, in lines, for whoever looks for a cause.
extension ConvergenceRun {
  func trace(_ event: @autoclosure () -> String) {
    if isTraced { print("\(clock % 1_000_000) \(event())") }
  }

  func trace(upload batch: UploadBatch, _ number: Int, refused: Set<ObjectID>) {
    guard isTraced else { return }
    trace(
      "device \(number): batch \(batch.number) at \(batch.cursor.rawValue) is merged"
        + " as \(server.head.version.rawValue), time \(server.head.time)")
    for change in batch.objects {
      print(
        "    \(refused.contains(change.id) ? "refused " : "")\(words(change, server.head.names))")
    }
  }

  /// What the program of a device has written since a time and is not acknowledged.
  func trace(commitOf number: Int, after time: UInt64) {
    guard isTraced else { return }
    trace("device \(number): commit")
    for change in devices[number].unacknowledged {
      var new = change
      for index in new.containers.indices {
        new.containers[index].registers.removeAll { $0.stamp.stamp.time <= time }
        new.containers[index].placements.removeAll { $0.name.stamp.time <= time }
      }
      new.containers.removeAll(where: \.isEmpty)
      guard !new.containers.isEmpty || new.life != nil else { continue }
      print("    \(words(new, devices[number].core.storage.record.names))")
    }
  }

  func trace(download bytes: [UInt8], _ number: Int) {
    guard isTraced, case .download(_, _, let part)? = try? Frame.decode(bytes) else { return }
    var names = server.head.names
    guard let slice = try? DownloadSlice.decode(part, names: &names) else { return }
    let kind = slice.isRebase ? "rebase" : "slice"
    trace(
      "device \(number): \(kind) \(slice.from.rawValue)...\(slice.to.rawValue), acknowledged"
        + " \(slice.acknowledged), floor \(slice.floor.rawValue), query \(slice.queryVersion)")
    for news in slice.objects {
      let refusal = news.refusal.map { " refused \($0.batch)" } ?? ""
      let creation = news.creation.map {
        " of which \($0.stamp.client.rawValue)@\($0.stamp.time) is \($0.generation.rawValue),"
      }
      print("    \(news.kind)\(refusal)\(creation ?? "") \(words(news.change, names))")
    }
  }

  private func words(_ change: ObjectChange, _ names: Names) -> String {
    let word = Describer(names: names)
    func place(_ name: PlaceName?) -> String {
      name.map { "\($0.element.client.rawValue).\($0.element.number)@\($0.stamp.time)" } ?? "-"
    }
    var text = word.object(change.id)
    text += " generation \(change.generation.rawValue)"
    if let life = change.life {
      text += life.creation.map { " created \($0.client.rawValue)@\($0.time)" } ?? " deleted"
      let deleted = life.deleted.map { "\($0.generation.rawValue) at \($0.heard.rawValue)" }
      text += " after \(deleted ?? "none") and what is since \(life.deletedSince)"
    }
    for container in change.containers {
      text += "\n      \(word.container(container.id)):"
      for placement in container.placements {
        text += " place \(place(placement.name)) after \(place(placement.left));"
      }
      for register in container.registers {
        let stamp = register.stamp
        text += " \(word.slot(register.slot)) = \(word.value(register.value))"
        text += " \(stamp.isExplicit ? "" : "default ")@\(stamp.stamp.time)"
        text += ".\(stamp.stamp.client.rawValue);"
      }
      for removal in container.removals { text += " remove \(word.slot(.item(removal)));" }
    }
    return text
  }
}

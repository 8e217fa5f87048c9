/// A copy of an observed collection that is kept up by change sets alone. Used on the observer's
/// thread.
final class HistoryCopy {
  let subject: HistorySubject
  private(set) var contents: [Int] = []
  /// The version at which it was told something, or checked, last.
  private var image: HistoryImage?
  private(set) var changeSets = 0
  private(set) var findings: [String] = []

  init(_ subject: HistorySubject) { self.subject = subject }

  /// Follows what was told. `now` is the version that the realm is at.
  func follow(_ change: ToldChange, _ now: HistoryImage) {
    let modified = change.modified(of: contents.count)
    if modified.count != change.modifications.count {
      findings.append("\(subject.name): modified what was not there, or is gone: \(change)")
    }
    if change.isInitial {
      contents = change.contents
    } else {
      changeSets += 1
      apply(change, modified)
    }
    if contents != change.contents {
      findings.append("\(subject.name): made \(contents) of \(change.contents) by \(change)")
    }
    checkModifications(change, modified, now)
    image = now
  }

  /// The documented order: deletions, highest first, insertions; then what was modified is read.
  private func apply(_ change: ToldChange, _ modified: [Int]) {
    for index in change.deletions.reversed() { contents.remove(at: index) }
    for index in change.insertions { contents.insert(change.contents[index], at: index) }
    if !subject.canReplace { return }
    for index in modified { contents[index] = change.contents[index] }
  }

  /// Those that stayed and had a property set that counts, all of them and no others.
  private func checkModifications(
    _ change: ToldChange, _ modified: [Int], _ now: HistoryImage
  ) {
    guard let image else { return }
    let inserted = Set(change.insertions)
    let touched = contents.indices.filter {
      !inserted.contains($0) && subject.touch.holds(subject.serial(contents[$0]), image, now)
    }
    if subject.canReplace {
      if Set(touched).isSubset(of: modified) { return }
    } else if touched == modified {
      return
    }
    findings.append("\(subject.name): \(touched) were modified, it told \(change)")
  }

  /// What nobody told of has not happened; what was, is what there is.
  func settle(_ actual: [Int], _ now: HistoryImage) {
    if contents != actual {
      findings.append("\(subject.name): has \(contents), there is \(actual)")
    }
    if let expected = subject.expected?(now) ?? nil, expected != actual {
      findings.append("\(subject.name): is \(actual), should be \(expected)")
    }
    checkModifications(ToldChange(contents: contents), [], now)
    image = now
  }

  /// Its own user made the change, and was not to be told.
  func takeOver(_ actual: [Int], _ now: HistoryImage) {
    contents = actual
    image = now
  }
}

import CRuntime

// Unmanaged objects that hold one another. Freeing one frees those that it alone holds, each from
// within the one before: a long chain would take much stack. So what an object holds is released
// when the stack is down again, by the first object of the thread that is being freed.

/// What a thread has yet to release.
private final class PendingReleases {
  var references: [AnyObject] = []

  /// Releases them, and what comes of that, one after the other.
  func run() {
    while let reference = references.popLast() { withExtendedLifetime(reference) {} }
  }
}

extension ObjectBase {
  /// Takes from an unmanaged object that is being freed what it links to, for later.
  final func _releaseLinks() {
    let running = unsafe holdfast_pending_releases().map {
      unsafe Unmanaged<PendingReleases>.fromOpaque($0).takeUnretainedValue()
    }
    var releases = running
    for field in ClassInfo.of(type(of: self)).linkingFields {
      let taken = _withField(at: field.offset) { field.type.takeReference(at: $0) }
      guard let taken else { continue }
      if releases == nil { releases = PendingReleases() }
      releases?.references.append(taken)
    }
    guard running == nil, let releases else { return }
    unsafe holdfast_set_pending_releases(Unmanaged.passUnretained(releases).toOpaque())
    releases.run()
    holdfast_set_pending_releases(nil)
  }
}

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

/// Lets go of what an object or collection held that is being freed: at once, or if that is within
/// the freeing of another one, after it. Nobody else may hold on to them only to call this: they
/// would be freed too late, one within the other.
func releaseInTurn(_ references: inout [AnyObject]) {
  if references.isEmpty { return }
  let running = unsafe holdfast_pending_releases().map {
    unsafe Unmanaged<PendingReleases>.fromOpaque($0).takeUnretainedValue()
  }
  if let running {
    running.references.append(contentsOf: references)
    references = []
    return
  }
  let releases = PendingReleases()
  swap(&releases.references, &references)
  unsafe holdfast_set_pending_releases(Unmanaged.passUnretained(releases).toOpaque())
  releases.run()
  holdfast_set_pending_releases(nil)
}

extension ObjectBase {
  /// Takes from an unmanaged object that is being freed what it links to, for later.
  final func _releaseLinks() {
    var references: [AnyObject] = []
    for field in ClassInfo.of(type(of: self)).linkingFields {
      let taken = _withField(at: field.offset) { field.type.takeReference(at: $0) }
      if let taken { references.append(taken) }
    }
    releaseInTurn(&references)
  }
}

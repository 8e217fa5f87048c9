/// What the demonstration is to do.
struct Plan {
  var file: String
  var index: String
  var expectedPackages: Int
  var expectedLinks: Int
  var batchSize: Int
  var editPauseMilliseconds: Int
  /// How long the file is watched with nothing but the editor at work.
  var quiet: Duration
  /// How many edits an old version is held for before its viewer is killed.
  var editsUnderPin: Int
  /// How often an importer is killed in the middle of a commit.
  var importerKills: Int
  let subjects = ["archive", "edits"]
}

/// What was measured on the way, for the table at the end.
struct Figures {
  struct ImporterKill {
    var acknowledged: Int
    var stored: Int
    var attempted: Int
    /// Longest wait of the editor for the writer lock around the kill, in nanoseconds.
    var editorWaited: UInt64
    /// From the kill to the first commit of the importer that took its place.
    var replacedAfter: UInt64
  }

  struct ViewerKill {
    var version: UInt64
    var versionsBehind: UInt64
    var retainedBytes: UInt64?
    var fileGrowth: Int64
    /// From the kill to the moment when nobody pinned the version any more.
    var pinGoneAfter: UInt64
    /// From the start of its replacement to the first view.
    var replacedAfter: UInt64
  }

  var importerKills: [ImporterKill] = []
  var missedKills = 0
  var viewerKill: ViewerKill?
}

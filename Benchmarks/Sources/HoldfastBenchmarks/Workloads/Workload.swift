/// The workloads' names, which the table shows and goals refer to. They say whether it is the
/// engine's own interface that does the work or the public API, with live objects.
enum Workload {
  static let pin = "engine: pin and unpin the newest version"
  static let wake = "engine: call of commit to a callback on another process's loop, p50"
  static let wakeLate = "the same, p99"
  static let wakeFromReturn = "the same from the return of commit, p50"
  static let durableCommits = "engine: insert 1 object a commit, flushed"
  static let unflushedCommits = "engine: insert 1 object a commit, unflushed"
  static let updates = "engine: update 1 property a commit, unflushed"
  static let read = "objects: read an Int property of one object"
  static let count = "engine: count 1 M by an Int, no index"
  static let insert = "engine: insert 1 M in one transaction"
  static let size = "file size after it"
  static let growth = "engine: growth by 20,000 commits over 100 KB, one reader pinned"
  static let objectInserts = "objects, 1 M of them: insert 1 a commit, unflushed"
  static let objectInsertGrowth = "growth by each of those"
  static let objectUpdates = "objects, 1 M of them: update 1 property a commit, unflushed"
  static let objectUpdateGrowth = "growth by each of these"
  static let openWarm = "objects, 1 M of them: open and read one, warm"
  static let openCold = "the same, cold"
}

/// The names that the table shows and goals refer to. Those that begin with "engine" use its own
/// interface; the others, which stand beside the work they name, the public API with live objects.
enum Workload {
  static let pin = "engine: pin and unpin the newest version"
  static let wake = "engine: call of commit to a callback on another process's loop, p50"
  static let wakeLate = "engine: the same, p99"
  static let wakeFromReturn = "engine: the same from the return of commit, p50"
  static let durableCommits = "engine: insert 1 object a commit, flushed"
  static let unflushedCommits = "engine: insert 1 object a commit, unflushed"
  static let updates = "engine: update 1 property a commit, unflushed"
  static let read = "engine: read an Int property of one object, opened anew"
  static let count = "engine: count 1 M by an Int, no index"
  static let insert = "engine: insert 1 M in one transaction"
  static let size = "engine: file size after it"
  static let growth = "engine: growth by 20,000 commits over 100 KB, one reader pinned"
}

/// The workloads' names, which the table shows and goals refer to.
enum Workload {
  static let pin = "pin and unpin the newest version"
  static let wake = "call of commit to a callback on another process's loop, p50"
  static let wakeLate = "the same, p99"
  static let wakeFromReturn = "the same from the return of commit, p50"
  static let durableCommits = "insert 1 object a commit, flushed"
  static let unflushedCommits = "insert 1 object a commit, unflushed"
  static let updates = "update 1 property a commit, unflushed"
  static let read = "read an Int property of one object"
  static let count = "count 1 M by an Int, no index"
  static let insert = "insert 1 M in one transaction"
  static let size = "file size after it"
  static let growth = "growth: 20,000 commits over 100 KB, one reader pinned"
}

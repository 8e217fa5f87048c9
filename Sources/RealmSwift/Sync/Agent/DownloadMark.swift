#if Sync
  /// Finds out when all has come that the server had at a moment.
  ///
  /// The server answers a ping when it has nothing more to send, but it may have begun a download
  /// before the wish. So it has sent all if it answers two pings and sends nothing in between; and
  /// while it sends on and on, if two downloads are complete after an answer: the second of them
  /// has begun since.
  struct DownloadMark {
    /// The newest wish.
    var wanted: Int64 = 0
    /// The newest ping, of which there is one on its way while there is a wish.
    private var number: UInt64 = 0
    /// The wish that is asked for; 0 if there is none.
    private var asked: Int64 = 0
    /// Answers without a download in between.
    private var answers = 0
    private var hasAnswer = false
    /// Downloads that were complete since the first answer.
    private var downloads = 0

    /// The connection ended, or the wish is fulfilled.
    mutating func restart() {
      asked = 0
      answers = 0
      hasAnswer = false
      downloads = 0
    }

    /// The ping to send; nil if an answer is awaited already.
    mutating func ask() -> UInt64? {
      if asked > 0 { return nil }
      asked = wanted
      number += 1
      return number
    }

    /// An answer has come: what to send next, or which wish is fulfilled.
    mutating func answered(_ answer: UInt64) -> (next: UInt64?, fulfilled: Int64?) {
      guard asked > 0, answer == number else { return (nil, nil) }
      hasAnswer = true
      answers += 1
      if answers < 2 {
        number += 1
        return (number, nil)
      }
      defer { restart() }
      return (nil, asked)
    }

    /// A part of a download has come.
    mutating func downloading() { answers = 0 }

    /// A download is complete: which wish is fulfilled.
    mutating func downloaded() -> Int64? {
      guard asked > 0, hasAnswer else { return nil }
      downloads += 1
      if downloads < 2 { return nil }
      defer { restart() }
      return asked
    }
  }
#endif

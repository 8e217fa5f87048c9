import ObjectStore
import Storage

/// What programs have written and no state of an object says yet, in the order in which it was.
///
/// Most commits set properties, change a few elements of collections, or make objects without any.
/// Of these a commit notes only where and when (`LogEntry`), at the end of a log, which costs next
/// to nothing; the agent brings the states up to date before it does anything with them, and so
/// does a commit that needs them.
///
/// The end of the log is a value of `sync.file`, short enough to lie beside the row's others:
///
///     UInt64 the time of the newest write | UInt64 the time that the first entry counts from
///     | entries
///
/// What is before it is in pages, objects of `sync.log`: `UInt64 the time that the first entry
/// counts from | entries`. Within the log each entry's time counts from the one before, across
/// pages as well.
enum WriteLog {
  /// What comes before the entries of the log's end, and of a page.
  static let endHeader = 16
  static let pageHeader = 8
  /// As much of the end is within the vector of its column.
  static let endBytesMax = TreeLimits.inlineBytesMax
  /// A page that is longer is full.
  static let pageBytesMax = 4096

  /// A log that has more is long.
  private static let pagesMax = 64

  static func length(
    _ view: StoreView, _ log: SyncTables.Log
  ) throws(StorageError) -> SyncFile.LogLength {
    let pages = try view.table(log.table)?.count ?? 0
    return pages == 0 ? .short : pages > pagesMax ? .long : .medium
  }

  /// The entries of a page, or of the end; nil if the bytes make no sense.
  static func entries(_ bytes: [UInt8], header: Int) -> [LogEntry]? {
    if bytes.count <= header { return [] }
    return unsafe bytes.withUnsafeBytes { bytes -> [LogEntry]? in
      var time = unsafe bytes.loadUnaligned(fromByteOffset: header - 8, as: UInt64.self)
      var decoder = unsafe ByteDecoder(UnsafeRawBufferPointer(rebasing: bytes[header...]))
      var entries: [LogEntry] = []
      while !decoder.isAtEnd {
        guard let entry = LogEntry(&decoder, after: time) else { return nil }
        time = entry.last
        entries.append(entry)
      }
      return entries
    }
  }

  /// A page of entries.
  static func page(_ entries: [LogEntry]) -> [UInt8] {
    var encoder = ByteEncoder()
    var time = entries.first?.time ?? 0
    let base = time
    for entry in entries {
      entry.append(after: time, to: &encoder)
      time = entry.last
    }
    return bytes(base) + encoder.bytes
  }

  static func bytes(_ number: UInt64) -> [UInt8] {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
  }

  static func number(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}

/// The end of the log.
struct LogEnd {
  private(set) var bytes: [UInt8]

  /// - Parameter bytes: as they are stored; nothing if the log is empty.
  init(_ bytes: [UInt8]) { self.bytes = bytes.count < WriteLog.endHeader ? [] : bytes }

  /// Without entries of its own, behind pages that end at `time`.
  private init(after time: UInt64) { bytes = WriteLog.bytes(time) + WriteLog.bytes(time) }

  /// Whether the log has nothing, in pages either.
  var isEmpty: Bool { bytes.isEmpty }

  /// When the newest write was made; 0 if there is none.
  var newest: UInt64 { bytes.isEmpty ? 0 : WriteLog.number(bytes, at: 0) }

  /// What goes to a page when there is no room, with the time that it counts from.
  var page: [UInt8] { bytes.isEmpty ? [] : Array(bytes[8...]) }

  var hasEntries: Bool { bytes.count > WriteLog.endHeader }

  func hasRoom(for part: LogPart) -> Bool {
    max(bytes.count, WriteLog.endHeader) + part.bytes.count <= WriteLog.endBytesMax
  }

  mutating func append(_ part: LogPart) {
    if bytes.isEmpty { self = LogEnd(after: part.base) }
    bytes.replaceSubrange(0..<8, with: WriteLog.bytes(part.last))
    bytes += part.bytes
  }

  /// All has gone to pages, the newest of it at `time`.
  mutating func clear(at time: UInt64) { self = LogEnd(after: time) }
}

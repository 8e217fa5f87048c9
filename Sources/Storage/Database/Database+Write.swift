import Coordination
import Platform

extension Database {
  /// Waits for the turn to write, in order of arrival, and starts a transaction on the newest
  /// version.
  ///
  /// - Throws: `.readOnly`, `.poisoned`, `.corrupt`, or what the lock gave.
  public func beginWrite() throws(StorageError) -> WriteTransaction {
    try writer.requireWritable()
    do { try lockFile.lockWriter() } catch { throw StorageError(error) }
    return try startTransaction()!
  }

  /// As `beginWrite()`, but nil at once when that would take time: when another thread or process
  /// is writing, or has died while writing, so that what he left has to be flushed first.
  public func tryBeginWrite() throws(StorageError) -> WriteTransaction? {
    try writer.requireWritable()
    do {
      guard try lockFile.tryLockWriter() else { return nil }
    } catch { throw StorageError(error) }
    return try startTransaction(mayRecover: false)
  }

  /// As `beginWrite()`, without blocking the caller: `whenReady` is called on some thread when it
  /// is this caller's turn. The transaction may be used on another thread then.
  @discardableResult
  public func beginWrite(
    whenReady: @escaping @Sendable (Result<WriteTransaction, StorageError>) -> Void
  ) throws(StorageError) -> WriteWait {
    try writer.requireWritable()
    do {
      return WriteWait(
        wait: try lockFile.lockWriter { result in
          switch result {
          case .failure(let error): whenReady(.failure(StorageError(error)))
          case .success:
            do throws(StorageError) {
              whenReady(.success(try self.startTransaction()!))
            } catch {
              whenReady(.failure(error))
            }
          }
        })
    } catch {
      throw StorageError(error)
    }
  }

  /// Nil only if there is something to recover, and it may not.
  private func startTransaction(mayRecover: Bool = true) throws(StorageError) -> WriteTransaction? {
    do throws(StorageError) {
      let succession = WriterSuccession(writer.flusher, mayRecover: mayRecover)
      guard let published = try succession.newest() else {
        lockFile.unlockWriter()
        return nil
      }
      let source = try mappings.beginReading(covering: published.logicalSize)
      do throws(StorageError) {
        return WriteTransaction(
          database: self, base: try VersionNode(of: published, in: source), source: source)
      } catch {
        source.endReading()
        throw error
      }
    } catch {
      lockFile.unlockWriter()
      throw error
    }
  }

  /// Gives the writer role back, and wakes those that listen.
  func endWrite(published: Bool, author: CommitListener? = nil) {
    lockFile.unlockWriter()
    guard published else { return maintenance.cancelled(self) }
    lockFile.wakeOthers(except: author?.token)
    slowReaders?.committed(self)
  }
}

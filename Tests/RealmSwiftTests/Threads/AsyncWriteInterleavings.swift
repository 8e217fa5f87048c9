import RealmSwift
import Storage

/// A realm in name only, for the driver of asynchronous writes: the writer, the disk and the loop
/// do what the test says, and every rule is checked where it could be broken.
final class ModelWriteHost: AsyncWriteHost {
  enum Event: CaseIterable {
    case ask, askForOwnCommit, askForOwnCancel, askFromTask
    case grant, expire, failReservation
    case turn, flush, age
    case write, open, close
    case cancelFirst, cancelLast, cancelRunning, invalidate, drop
  }

  private enum Reservation { case none, waiting, ready, expired, failed }

  private struct Request {
    let id: AsyncWriteQueue.ID
    var hasRun = false
    var isCancelled = false
    var completionCount = 0
    var expectsCompletion = true
    var version = Version.zero
    /// Writes after this one wait for its flush.
    var holdsOthers = false
    var isTask = false
    var isWoken = false
  }

  private(set) lazy var driver = AsyncWriteDriver(self)
  private(set) var mistakes: [String] = []
  private(set) var isWriting = false
  let isFlushed = true

  private var reservation = Reservation.none
  private var version = Version(1)
  private var durableVersion = Version(1)
  private var failsNextReservation = false
  private var cancelsRunning = false
  private var requests: [Request] = []
  private var turns: [() -> Void] = []
  private var flushes: [AsyncWriteQueue.Flush] = []
  private var groups: [AsyncWriteQueue.ID?] = []
  private var waitsForInvalidation = false

  init(_ fault: AsyncWriteQueue.Fault?) { driver.queue.fault = fault }

  // MARK: What happens

  /// Returns false if the event cannot happen now.
  func happen(_ event: Event) -> Bool {
    switch event {
    case .ask: ask { _ in }
    case .askForOwnCommit:
      ask(holdsOthers: false) { [unowned self] id in
        driver.commit(AsyncWriteQueue.makeId(), allowGrouping: true) { _ in }
        update(id) { $0.version = version }
      }
    case .askForOwnCancel: ask(holdsOthers: false) { [unowned self] _ in cancelWrite() }
    case .askFromTask: askFromTask()
    case .grant: return grant(.ready)
    case .expire: return grant(.expired)
    case .failReservation:
      if failsNextReservation || requests.contains(where: \.isTask) { return false }
      failsNextReservation = true
    case .turn: return turn()
    case .flush: return flush()
    case .age:
      if groups.isEmpty { return false }
      driver.groupIsOld(groups.removeFirst())
    case .write:
      if isWriting { return false }
      beginSynchronously()
      endTransaction(commits: true)
    case .open:
      if isWriting { return false }
      beginSynchronously()
    case .close:
      if !isWriting { return false }
      endTransaction(commits: true)
    case .cancelFirst: return cancel(requests.firstIndex { !$0.hasRun && !$0.isCancelled })
    case .cancelLast: return cancel(requests.lastIndex { !$0.isCancelled })
    case .cancelRunning:
      if cancelsRunning { return false }
      cancelsRunning = true
    case .invalidate:
      if waitsForInvalidation || isWriting { return false }
      waitsForInvalidation = true
      if driver.invalidate() { invalidate() }
    case .drop: return drop()
    }
    return true
  }

  /// Lets everything come to its end, and checks that it did.
  func finish() {
    if isWriting { endTransaction(commits: true) }
    var isChanging = true
    while isChanging {
      isChanging = false
      for event in [Event.turn, .grant, .flush, .age] where happen(event) { isChanging = true }
    }
    for request in requests where !request.isCancelled {
      if !request.hasRun { mistakes.append("\(request.id) has not run") }
      if request.expectsCompletion && request.completionCount != 1 {
        mistakes.append("\(request.id) was completed \(request.completionCount) times")
      }
    }
    if driver.queue.isPerforming { mistakes.append("still performing") }
    if reservation != .none { mistakes.append("the writer is still reserved") }
    if waitsForInvalidation { mistakes.append("not invalidated") }
  }

  private func ask(
    holdsOthers: Bool = true, _ body: @escaping (AsyncWriteQueue.ID) -> Void
  ) {
    let id = AsyncWriteQueue.makeId()
    requests.append(Request(id: id))
    let work = { [unowned self] in
      run(id)
      body(id)
      if !isWriting || !holdsOthers { return }
      update(id) { $0.holdsOthers = true }
      if cancelsRunning {
        cancelsRunning = false
        driver.cancel(id)
        update(id) { ($0.isCancelled, $0.holdsOthers) = (true, false) }
      }
    }
    driver.add(
      .init(
        id: id,
        kind: .block(commits: true, work, onComplete: { [unowned self] in complete(id, $0) })))
  }

  private func askFromTask() {
    let id = AsyncWriteQueue.makeId()
    requests.append(Request(id: id, expectsCompletion: false, isTask: true))
    let signal = { [unowned self] (event: AsyncWriteQueue.TaskEvent) in
      update(id) { $0.isWoken = true }
      turns.append { [unowned self] in runTask(id) }
    }
    driver.add(.init(id: id, kind: .task(signal)))
  }

  private func runTask(_ id: AsyncWriteQueue.ID) {
    guard let request = requests.first(where: { $0.id == id }), !request.hasRun,
      !request.isCancelled, (try? driver.beginTask(id)) == true
    else { return }
    run(id)
    endTransaction(commits: true)
    driver.invalidateIfDone()
  }

  private func cancel(_ index: Int?) -> Bool {
    guard let index else { return false }
    if requests[index].completionCount > 0 || requests[index].isTask && requests[index].hasRun {
      return false
    }
    requests[index].isCancelled = true
    driver.cancel(requests[index].id)
    return true
  }

  /// As a realm instance goes that only its open transaction has kept busy: another one gets the
  /// writes that have waited for that. Whatever else is under way keeps the instance.
  private func drop() -> Bool {
    let isBusy = !turns.isEmpty || !flushes.isEmpty || !groups.isEmpty || reservation != .none
    // A task that waits holds its realm.
    let hasTasks = requests.contains { $0.isTask && !$0.hasRun && !$0.isCancelled }
    if !isWriting || isBusy || hasTasks || waitsForInvalidation { return false }
    isWriting = false
    let fault = driver.queue.fault
    let writes = driver.queue.removeAll()
    driver = AsyncWriteDriver(self)
    driver.queue.fault = fault
    for write in writes { driver.add(write) }
    return true
  }

  private func beginSynchronously() {
    driver.reservationWasTaken()
    reservation = .none
    isWriting = true
  }

  private func endTransaction(commits: Bool) {
    isWriting = false
    if commits { version = version.next }
    driver.resume()
  }

  private func grant(_ state: Reservation) -> Bool {
    // Nobody gets the writer while a transaction is open.
    if reservation != .waiting || isWriting { return false }
    reservation = state
    announceReservation()
    return true
  }

  private func turn() -> Bool {
    if turns.isEmpty { return false }
    turns.removeFirst()()
    return true
  }

  private func flush() -> Bool {
    if flushes.isEmpty { return false }
    let flush = flushes.removeFirst()
    durableVersion = max(durableVersion, flush.version)
    report(flush, nil)
    return true
  }

  // MARK: What must be so

  private func update(_ id: AsyncWriteQueue.ID, _ body: (inout Request) -> Void) {
    guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
    body(&requests[index])
  }

  private func run(_ id: AsyncWriteQueue.ID) {
    if !isWriting { mistakes.append("\(id) runs without a transaction") }
    guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
    if requests[index].isCancelled { mistakes.append("\(id) runs though it was cancelled") }
    if requests[index].hasRun { mistakes.append("\(id) runs twice") }
    if requests[..<index].contains(where: { !$0.hasRun && !$0.isCancelled }) {
      mistakes.append("\(id) runs before an earlier one")
    }
    if requests[..<index].contains(where: { $0.holdsOthers && $0.version > durableVersion }) {
      mistakes.append("\(id) runs before the flush that it waits for")
    }
    requests[index].hasRun = true
  }

  private func complete(_ id: AsyncWriteQueue.ID, _ error: (any Error)?) {
    update(id) { request in
      request.completionCount += 1
      if error != nil { request.hasRun = true }
      if request.isCancelled { mistakes.append("\(id) is completed though it was cancelled") }
      if !request.hasRun { mistakes.append("\(id) is completed before it has run") }
      if request.version > durableVersion { mistakes.append("\(id) is not durable") }
    }
  }

  // MARK: What the driver asks for

  func reserveWriter() throws(StorageError) {
    if failsNextReservation {
      failsNextReservation = false
      throw StorageError(.outOfDiskSpace, path: "", "planned")
    }
    if reservation != .none { mistakes.append("reserved twice") }
    reservation = .waiting
  }

  func beginReservedWrite() throws(StorageError) -> ReservedWrite {
    switch reservation {
    case .none, .waiting: return .tooEarly
    case .expired:
      reservation = .none
      return .expired
    case .ready, .failed:
      reservation = .none
      isWriting = true
      return .begun
    }
  }

  func beginWriteIfFree() throws(StorageError) -> Bool {
    isWriting = true
    return true
  }

  func cancelReservation() { reservation = .none }
  func announceReservation() { turns.append { [unowned self] in driver.reservationIsReady() } }

  func commitUnflushed(isGrouped: Bool) throws(StorageError) -> Version {
    endTransaction(commits: true)
    if !isGrouped, let last = requests.lastIndex(where: { $0.hasRun && $0.completionCount == 0 }) {
      requests[last].version = version
    }
    return version
  }

  func cancelWrite() { endTransaction(commits: false) }
  func flush(_ flush: AsyncWriteQueue.Flush) { flushes.append(flush) }

  func report(_ flush: AsyncWriteQueue.Flush, _ error: StorageError?) {
    turns.append { [unowned self] in driver.flushed(flush, error) }
  }

  func announceGroup() { turns.append { [unowned self] in driver.groupBegan() } }
  func watchGroup(_ oldest: AsyncWriteQueue.ID?) { groups.append(oldest) }

  func invalidate() {
    waitsForInvalidation = false
    if driver.queue.isPerforming { mistakes.append("invalidated while writes are under way") }
  }

  func watchForTheEnd() {}
  func publicError(_ error: StorageError) -> any Error { error }
  func fail(_ error: StorageError) -> Never { fatalError("every write here has a completion") }
}

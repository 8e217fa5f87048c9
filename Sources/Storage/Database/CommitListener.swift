import Coordination

/// Is called after commits as long as it is referenced.
public final class CommitListener: Sendable {
  let token: Coordination.CommitListener
  private let database: Database

  init(token: Coordination.CommitListener, database: Database) {
    self.token = token
    self.database = database
  }
}

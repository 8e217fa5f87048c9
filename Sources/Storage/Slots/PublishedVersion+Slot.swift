import Coordination
import Platform

extension PublishedVersion {
  init(_ slot: CommitSlot) {
    self.init(version: slot.version, root: slot.root.rawValue, logicalSize: slot.logicalSize)
  }
}

extension CommitSlot {
  init(_ published: PublishedVersion, boot: BootIdentifier) {
    self.init(
      version: published.version, root: NodeReference(rawValue: published.root),
      logicalSize: published.logicalSize, boot: boot)
  }
}

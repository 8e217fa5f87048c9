import Foundation

/// What every class of objects that realms store descends from.
open class ObjectBase: NSObject {
  public required override init() { super.init() }
}

import Foundation
import Storage

extension Realm.Configuration {
  /// The key as the engine takes it. That it has 64 bytes was checked when it was set.
  var engineKey: EncryptionKey? { encryptionKey.flatMap { EncryptionKey($0) } }
}

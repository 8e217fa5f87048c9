import ObjectStore
import Storage

/// One thread's (queue's, actor's) view of a database file at one version.
@frozen public struct Realm {
}

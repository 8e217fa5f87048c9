import ObjectStore

/// A row of a table; the object's key, as sync knows it, is another thing.
typealias RowKey = ObjectKey

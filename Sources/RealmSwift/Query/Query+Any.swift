// Conditions on lists and dictionaries in `AnyRealmValue`.

extension Query where T == AnyRealmValue {
  /// The element of the list that the value is; nil where there is none, or the value is no list.
  public subscript(index: Int) -> Query<AnyRealmValue> {
    Query<AnyRealmValue>(appending(.index(index)))
  }

  /// The value of the key in the dictionary that the value is; nil where there is none, or the
  /// value is no dictionary.
  public subscript(key: String) -> Query<AnyRealmValue> {
    Query<AnyRealmValue>(appending(.key(key)))
  }

  /// The elements of the list, or the values of the dictionary, that the value is: a condition
  /// holds if it holds for any of them.
  public var any: Query<AnyRealmValue> { Query<AnyRealmValue>(appending(.any)) }
}

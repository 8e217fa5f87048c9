// Operations on strings and data.

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
  /// Whether the whole string matches the pattern: `*` stands for any characters, `?` for one.
  public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
    text(.like, .value(pattern), caseInsensitive ? .caseInsensitive : [])
  }

  /// Whether the whole string matches the pattern in another property.
  public func like<U>(_ column: Query<U>, caseInsensitive: Bool = false) -> Query<Bool> {
    text(.like, column.operand, caseInsensitive ? .caseInsensitive : [])
  }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
  /// Whether the string has all words of the text in it, whatever their case and diacritics: a
  /// full-text search. `abc*` stands for the words that begin so, `-word` for one that must not be
  /// there. A property that was declared `@Persisted(indexed: .fullText)` is searched by its index.
  public func text(_ search: String) -> Query<Bool> {
    Self.compare(operand, .text, .value(search))
  }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
  /// Whether the value has the other one somewhere inside it.
  public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
    text(.contains, .value(value), options)
  }

  /// Whether the value has that of another property somewhere inside it.
  public func contains<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool>
  where U: _HasPersistedType, U.PersistedType: _QueryBinary {
    text(.contains, column.operand, options)
  }

  /// Whether the value starts with the other one.
  public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
    text(.beginsWith, .value(value), options)
  }

  /// Whether the value starts with that of another property.
  public func starts<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    text(.beginsWith, column.operand, options)
  }

  /// Whether the value ends with the other one.
  public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
    text(.endsWith, .value(value), options)
  }

  /// Whether the value ends with that of another property.
  public func ends<U>(with column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    text(.endsWith, column.operand, options)
  }

  /// Whether the value is the other one, by these options.
  public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    text(.equal, .value(value), options)
  }

  /// Whether the value is that of another property, by these options.
  public func equals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    text(.equal, column.operand, options)
  }

  /// Whether the value is not the other one, by these options.
  public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    text(.notEqual, .value(value), options)
  }

  /// Whether the value is not that of another property, by these options.
  public func notEquals<U>(_ column: Query<U>, options: StringOptions = []) -> Query<Bool> {
    text(.notEqual, column.operand, options)
  }

  /// Whether the value is greater than a constant, by the order of their bytes.
  public static func > (left: Query<T>, right: T) -> Query<Bool> { left.compare(.greater, right) }
  /// Whether the value is less than a constant, by the order of their bytes.
  public static func < (left: Query<T>, right: T) -> Query<Bool> { left.compare(.less, right) }

  /// Whether the value is greater than or equal to a constant, by the order of their bytes.
  public static func >= (left: Query<T>, right: T) -> Query<Bool> {
    left.compare(.greaterOrEqual, right)
  }

  /// Whether the value is less than or equal to a constant, by the order of their bytes.
  public static func <= (left: Query<T>, right: T) -> Query<Bool> {
    left.compare(.lessOrEqual, right)
  }

  /// Whether the value is greater than that of another property.
  public static func > (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .greater, right.operand)
  }

  /// Whether the value is less than that of another property.
  public static func < (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .less, right.operand)
  }

  /// Whether the value is greater than or equal to that of another property.
  public static func >= (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .greaterOrEqual, right.operand)
  }

  /// Whether the value is less than or equal to that of another property.
  public static func <= (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .lessOrEqual, right.operand)
  }

  private func text(
    _ comparison: PredicateOperator, _ value: PredicateOperand, _ options: StringOptions
  ) -> Query<Bool> {
    Self.compare(operand, comparison, value, options)
  }
}

public import Foundation

// What may be done with properties of the standard library's and Foundation's types: the table of
// the API's section on persistable types, one line per type.

extension Int: _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension Int8: _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension Int16: _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension Int32: _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension Int64: _Indexable, _PrimaryKey, MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension Bool: _Indexable, _PrimaryKey, SortableType {}
extension Float: MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension Double: MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension String: _Indexable, _PrimaryKey, SortableType, _QueryString {}
extension Data: SortableType, _QueryBinary {}
extension Date: _Indexable, MinMaxType, SortableType, _QueryNumeric {}
extension UUID: _Indexable, _PrimaryKey {}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _QueryString {}

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
  /// Numbers of any type.
  public typealias PersistedType = NSNumber
}

extension NSDate: _HasPersistedType, MinMaxType {
  /// Dates.
  public typealias PersistedType = NSDate
}

extension Int: RealmOptionalType, _DefaultConstructible {}
extension Int8: RealmOptionalType, _DefaultConstructible {}
extension Int16: RealmOptionalType, _DefaultConstructible {}
extension Int32: RealmOptionalType, _DefaultConstructible {}
extension Int64: RealmOptionalType, _DefaultConstructible {}
extension Bool: RealmOptionalType, _DefaultConstructible {}
extension Float: RealmOptionalType, _DefaultConstructible {}
extension Double: RealmOptionalType, _DefaultConstructible {}
extension String: _DefaultConstructible {}
extension Data: _DefaultConstructible {}
extension Date: _DefaultConstructible {}
extension UUID: _DefaultConstructible {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType {}

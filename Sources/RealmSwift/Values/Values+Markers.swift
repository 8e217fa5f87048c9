// What may be done with properties of the library's own value types.

extension ObjectId: _Indexable, _PrimaryKey, _DefaultConstructible {}
extension Decimal128: _DefaultConstructible, MinMaxType, AddableType, SortableType, _QueryNumeric {}
extension AnyRealmValue: _Indexable, RealmPropertyType, _DefaultConstructible {}

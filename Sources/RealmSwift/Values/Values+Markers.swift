// What may be done with properties of the library's own value types.

extension ObjectId: _Indexable, _PrimaryKey {}
extension Decimal128: MinMaxType, AddableType, SortableType, _QueryNumeric {}

// What is confined may not be sent, even where its parts could be: the compiler is to refuse it. To
// cross threads there are frozen copies, which programs vouch for themselves, and
// `ThreadSafeReference`.

@available(*, unavailable)
extension Realm: Sendable {}

@available(*, unavailable)
extension ObjectBase: Sendable {}

@available(*, unavailable)
extension RLMSwiftCollectionBase: Sendable {}

@available(*, unavailable)
extension Results: Sendable {}

@available(*, unavailable)
extension AnyRealmCollection: Sendable {}

@available(*, unavailable)
extension LinkingObjects: Sendable {}

@available(*, unavailable)
extension PropertyChange: Sendable {}

@available(*, unavailable)
extension ObjectChange: Sendable {}

@available(*, unavailable)
extension RealmCollectionChange: Sendable {}

@available(*, unavailable)
extension AnyRealmValue: Sendable {}

@available(*, unavailable)
extension RLMIterator: Sendable {}

@available(*, unavailable)
extension Query: Sendable {}

@available(*, unavailable)
extension Migration: Sendable {}

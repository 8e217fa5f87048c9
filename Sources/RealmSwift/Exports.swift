// A program that imports RealmSwift gets the loops that its realms can live on, and, as on Apple's
// systems, Foundation: `Date`, `Data`, `UUID` and the like are types of properties.
@_exported public import Foundation
@_exported public import LoopThread

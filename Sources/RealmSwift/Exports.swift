// A program that imports RealmSwift gets the loops that its realms can live on.
@_exported public import LoopThread

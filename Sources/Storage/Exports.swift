// The layers above count the same versions, and need nothing else of what is coordinated.
@_exported public import struct Coordination.Version

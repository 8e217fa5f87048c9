// `import Combine` in code that was written for Apple's platforms: OpenCombine, and what realms
// publish through it.

#if Publishers
  @_exported import RealmSwiftCombine
#endif

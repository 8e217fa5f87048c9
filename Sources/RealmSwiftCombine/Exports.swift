// Publishers over OpenCombine, which has the API of Apple's Combine. Everything here is compiled
// only where the package's trait `Publishers` is on; without it OpenCombine is not even fetched.

#if Publishers
  @_exported import OpenCombine
  @_exported import OpenCombineDispatch
  @_exported import OpenCombineFoundation
#endif

#include "CRuntime.h"

// The runtime's own function; Swift code may not name it.
extern void *swift_allocObject(const void *metadata, size_t size, size_t alignment_mask);

void *holdfast_allocate_object(const void *metadata, size_t size, size_t alignment_mask) {
  return swift_allocObject(metadata, size, alignment_mask);
}

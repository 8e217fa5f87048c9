// What Swift's module of the C library leaves out.
#include <malloc.h>
#include <stddef.h>

void *memmem(
  const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);

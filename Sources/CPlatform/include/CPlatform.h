// The few calls and constants that Swift cannot reach through Glibc: variadic system calls,
// feature-gated constants, and the processor's CRC32C instruction.
#ifndef HOLDFAST_CPLATFORM_H
#define HOLDFAST_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/// CRC32C (Castagnoli) of `length` bytes, continuing from `seed` (0 for a fresh sum).
uint32_t holdfast_crc32c(uint32_t seed, const void *bytes, size_t length);

#endif

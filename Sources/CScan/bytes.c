// Comparisons of byte strings in a heap with a constant.

#include <stdbool.h>
#include <string.h>

#include "CScan.h"

typedef bool mask32 __attribute__((ext_vector_type(32)));
typedef uint8_t bytes32 __attribute__((ext_vector_type(32)));

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t load_8(const uint8_t *from) {
  uint64_t value;
  memcpy(&value, from, 8);
  return value;
}

// Equality of `length` bytes. For 1 to 16 of them it is two loads that may overlap.
INLINE bool same_bytes(const uint8_t *a, const uint8_t *b, size_t length) {
  if (length > 16) return load_8(a) == load_8(b) && memcmp(a + 8, b + 8, length - 8) == 0;
  if (length >= 8)
    return ((load_8(a) ^ load_8(b)) | (load_8(a + length - 8) ^ load_8(b + length - 8))) == 0;
  if (length >= 4) {
    uint32_t a0, a1, b0, b1;
    memcpy(&a0, a, 4);
    memcpy(&b0, b, 4);
    memcpy(&a1, a + length - 4, 4);
    memcpy(&b1, b + length - 4, 4);
    return ((a0 ^ b0) | (a1 ^ b1)) == 0;
  }
  for (size_t i = 0; i < length; i++)
    if (a[i] != b[i]) return false;
  return true;
}

// Runs `test`, an expression of `start` and `size`, over every row, and sets its bit in `out`.
#define EACH_ROW(test)                                                                          \
  uint32_t start = ends[0];                                                                     \
  for (size_t word = 0; word < 4; word++) {                                                     \
    uint64_t bits = 0;                                                                          \
    size_t first = word * 64, last = count < first + 64 ? count : first + 64;                   \
    for (size_t row = first; row < last; row++) {                                               \
      uint32_t end = ends[row + 1];                                                             \
      size_t size = end - start;                                                                \
      bits |= (uint64_t)(test) << (row - first);                                                \
      start = end;                                                                              \
    }                                                                                           \
    out[word] = bits;                                                                           \
  }

// Values of 8 to 16 bytes are the most common: their two halves are kept in registers.
#define EACH_ROW_OF_TWO_WORDS(size_test)                                                        \
  uint64_t head = load_8(value), tail = load_8(value + length - 8);                             \
  EACH_ROW((size_test) && ((load_8(heap + start) ^ head) |                                      \
                           (load_8(heap + start + length - 8) ^ tail)) == 0)

void scan_bytes_equal(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out) {
  if (length >= 8 && length <= 16) {
    EACH_ROW_OF_TWO_WORDS(size == length)
    return;
  }
  EACH_ROW(size == length && same_bytes(heap + start, value, length))
}

void scan_bytes_begins(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out) {
  if (length >= 8 && length <= 16) {
    EACH_ROW_OF_TWO_WORDS(size >= length)
    return;
  }
  EACH_ROW(size >= length && same_bytes(heap + start, value, length))
}

void scan_bytes_ends(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out) {
  EACH_ROW(size >= length && same_bytes(heap + end - length, value, length))
}

INLINE int order_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
  size_t shared = a_size < b_size ? a_size : b_size;
  int order = shared == 0 ? 0 : memcmp(a, b, shared);
  return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

void scan_bytes_order(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, int sign, int or_equal, uint64_t *out) {
  bool below = sign < 0;
  EACH_ROW(({
    int found = order_bytes(heap + start, size, value, length);
    found == 0 ? or_equal != 0 : below == (found < 0);
  }))
}

#define NAME(x) x##_any
#define TARGET
#include "search.h"

#if defined(__x86_64__)
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,bmi")))
#include "search.h"
#define PICK(name, ...) \
  (__builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__) : name##_any(__VA_ARGS__))
#else
#define PICK(name, ...) name##_any(__VA_ARGS__)
#endif

void scan_bytes_contains(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out) {
  if (length == 0) {
    for (size_t word = 0; word < 4; word++) {
      size_t left = count > word * 64 ? count - word * 64 : 0;
      out[word] = left >= 64 ? ~0ull : (1ull << left) - 1;
    }
    return;
  }
  PICK(contains, ends, heap, count, value, length, out);
}

int scan_compare(const void *a, size_t a_size, const void *b, size_t b_size) {
  return order_bytes(a, a_size, b, b_size);
}

int scan_contains(const void *text, size_t size, const void *value, size_t length) {
  if (length == 0) return 1;
  return PICK(find, text, 0, size, value, length) != size;
}

int scan_lower_ascii(const void *text, size_t size, uint8_t *out) {
  const uint8_t *from = text;
  uint8_t high = 0;
  for (size_t i = 0; i < size; i++) {
    uint8_t byte = from[i];
    high |= byte;
    out[i] = byte | (uint8_t)((uint8_t)(byte - 'A') < 26 ? 0x20 : 0);
  }
  return high < 0x80;
}

INLINE bool is_beyond_ascii(const uint8_t *bytes, size_t size) {
  uint8_t high = 0;
  for (size_t i = 0; i < size; i++) high |= bytes[i];
  return high >= 0x80;
}

void scan_bytes_beyond_ascii(
    const uint16_t *ends, const uint8_t *heap, size_t count, uint64_t *out) {
  EACH_ROW(is_beyond_ascii(heap + start, size))
}

void scan_fixed_equal(
    const void *data, size_t count, size_t stride, const void *value, uint64_t *out) {
  const uint8_t *from = data;
  memset(out, 0, 32);
  for (size_t row = 0; row < count; row++, from += stride)
    out[row / 64] |= (uint64_t)same_bytes(from, value, stride) << (row % 64);
}

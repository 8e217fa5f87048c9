// The loops of pairs.c, included once per instruction set like kernels.h.

#define WIDEN(suffix, wide)                                                                     \
  TARGET static void NAME(widen_##suffix)(                                                      \
      const void *data, int width, size_t count, void *out) {                                   \
    wide *to = out;                                                                             \
    switch (width) {                                                                            \
      case 8: for (size_t i = 0; i < count; i++) to[i] = ((const int8_t *)data)[i]; break;      \
      case 16: for (size_t i = 0; i < count; i++) to[i] = ((const int16_t *)data)[i]; break;    \
      case 32: for (size_t i = 0; i < count; i++) to[i] = ((const int32_t *)data)[i]; break;    \
      case 64: for (size_t i = 0; i < count; i++) to[i] = (wide)((const int64_t *)data)[i]; break; \
      case 1:                                                                                   \
        for (size_t i = 0; i < count; i++)                                                      \
          to[i] = ((const uint64_t *)data)[i / 64] >> (i % 64) & 1;                             \
        break;                                                                                  \
      default: memset(out, 0, count * 8);                                                       \
    }                                                                                           \
  }

WIDEN(i64, int64_t)
WIDEN(f64, double)
#undef WIDEN

// Eight rows at a time. Both sides have room for 256 elements, so what is behind the last row of
// `count` may be read; its bits are masked.
#define PAIR(suffix, type)                                                                      \
  typedef type NAME(pair_lanes_##suffix) __attribute__((ext_vector_type(8)));                   \
  TARGET static void NAME(pair_##suffix)(                                                       \
      const void *left, const void *right, size_t count, int relation, uint64_t *out) {         \
    uint8_t *bits = (uint8_t *)out;                                                             \
    memset(out, 0, 32);                                                                         \
    for (size_t i = 0; i < count; i += 8) {                                                     \
      NAME(pair_lanes_##suffix) a, b;                                                           \
      memcpy(&a, (const type *)left + i, sizeof a);                                             \
      memcpy(&b, (const type *)right + i, sizeof b);                                            \
      pair_mask found;                                                                          \
      if (relation == 0) found = __builtin_convertvector(a == b, pair_mask);                    \
      else if (relation == 1) found = __builtin_convertvector(a < b, pair_mask);                \
      else found = __builtin_convertvector(a <= b, pair_mask);                                  \
      memcpy(&bits[i / 8], &found, 1);                                                          \
    }                                                                                           \
    for (size_t word = 0; word < 4; word++) {                                                   \
      size_t first = word * 64;                                                                 \
      if (count < first + 64) out[word] &= count <= first ? 0 : (1ull << (count - first)) - 1;  \
    }                                                                                           \
  }

PAIR(i64, int64_t)
PAIR(f64, double)
#undef PAIR

#undef NAME
#undef TARGET

// The loops, included once per instruction set: NAME(x) gives a loop its name for that set and
// TARGET its attribute. Of ranges 64 elements are a word of bits, which is written once, because
// whoever reads it does so at once; what is left over goes with elements before it, or through a
// copy if there are none, so nothing behind the last element is read. Most ranges are open at one
// end, where nothing is compared: not-a-number is in none, whichever of the two is left.

#define RANGE(suffix, type, wide, lanes, mask_type, bits_type, lowest, highest)                 \
  typedef type NAME(lanes_##suffix) __attribute__((ext_vector_type(lanes)));                    \
  TARGET INLINE uint64_t NAME(chunk_##suffix)(                                                  \
      const void *data, type lower, type upper, bool has_lower, bool has_upper) {               \
    NAME(lanes_##suffix) v;                                                                     \
    memcpy(&v, data, sizeof v);                                                                 \
    mask_type m;                                                                                \
    if (has_lower && has_upper)                                                                 \
      m = __builtin_convertvector((v >= lower) & (v <= upper), mask_type);                      \
    else if (has_lower)                                                                         \
      m = __builtin_convertvector(v >= lower, mask_type);                                       \
    else                                                                                        \
      m = __builtin_convertvector(v <= upper, mask_type);                                       \
    bits_type bits;                                                                             \
    memcpy(&bits, &m, sizeof bits);                                                             \
    return bits;                                                                                \
  }                                                                                             \
  TARGET INLINE uint64_t NAME(word_##suffix)(                                                   \
      const char *data, type lower, type upper, bool has_lower, bool has_upper) {               \
    uint64_t bits = 0;                                                                          \
    for (size_t i = 0; i < 64; i += lanes)                                                      \
      bits |= (uint64_t)NAME(chunk_##suffix)(                                                   \
                  data + i * sizeof(type), lower, upper, has_lower, has_upper)                  \
          << i;                                                                                 \
    return bits;                                                                                \
  }                                                                                             \
  TARGET static void NAME(range_##suffix)(                                                      \
      const void *data, size_t count, wide lower_wide, wide upper_wide, uint64_t *out) {        \
    type lower = (type)lower_wide, upper = (type)upper_wide;                                    \
    const char *from = data;                                                                    \
    size_t words = count / 64, rest = count % 64;                                               \
    if (upper == highest) {                                                                     \
      for (size_t i = 0; i < words; i++)                                                        \
        out[i] = NAME(word_##suffix)(from + i * 64 * sizeof(type), lower, upper, true, false);  \
    } else if (lower == lowest) {                                                               \
      for (size_t i = 0; i < words; i++)                                                        \
        out[i] = NAME(word_##suffix)(from + i * 64 * sizeof(type), lower, upper, false, true);  \
    } else {                                                                                    \
      for (size_t i = 0; i < words; i++)                                                        \
        out[i] = NAME(word_##suffix)(from + i * 64 * sizeof(type), lower, upper, true, true);   \
    }                                                                                           \
    if (rest && words) {                                                                        \
      const char *last = from + (count - 64) * sizeof(type);                                    \
      out[words++] = NAME(word_##suffix)(last, lower, upper, true, true) >> (64 - rest);        \
    } else if (rest) {                                                                          \
      type last[64] = {0};                                                                      \
      memcpy(last, from, rest * sizeof(type));                                                  \
      uint64_t mask = (1ull << rest) - 1;                                                       \
      out[words++] =                                                                            \
          NAME(word_##suffix)((const char *)last, lower, upper, true, true) & mask;             \
    }                                                                                           \
    while (words < 4) out[words++] = 0;                                                         \
  }

RANGE(i8, int8_t, int64_t, 64, mask64, uint64_t, INT8_MIN, INT8_MAX)
RANGE(i16, int16_t, int64_t, 64, mask64, uint64_t, INT16_MIN, INT16_MAX)
RANGE(i32, int32_t, int64_t, 8, mask8, uint8_t, INT32_MIN, INT32_MAX)
RANGE(i64, int64_t, int64_t, 8, mask8, uint8_t, INT64_MIN, INT64_MAX)
RANGE(f32, float, float, 8, mask8, uint8_t, -INFINITY, INFINITY)
RANGE(f64, double, double, 8, mask8, uint8_t, -INFINITY, INFINITY)
#undef RANGE

#define SUM(suffix, type, sum_type)                                                             \
  TARGET static sum_type NAME(sum_##suffix)(const void *data, size_t count) {                   \
    sum_type sums[8] = {0};                                                                     \
    size_t i = 0;                                                                               \
    for (; i + 8 <= count; i += 8) {                                                            \
      type v[8];                                                                                \
      memcpy(v, (const char *)data + i * sizeof(type), sizeof v);                               \
      for (int j = 0; j < 8; j++) sums[j] += v[j];                                              \
    }                                                                                           \
    for (int j = 0; i < count; i++, j++) {                                                      \
      type v;                                                                                   \
      memcpy(&v, (const char *)data + i * sizeof(type), sizeof v);                              \
      sums[j] += v;                                                                             \
    }                                                                                           \
    return (sums[0] + sums[1] + sums[2] + sums[3]) + (sums[4] + sums[5] + sums[6] + sums[7]);   \
  }

// 256 elements of up to 16 bits fit a 32-bit sum, which takes half the work.
SUM(i8, int8_t, int32_t)
SUM(i16, int16_t, int32_t)
SUM(i32, int32_t, int64_t)
SUM(f32, float, double)
SUM(f64, double, double)
#undef SUM

#define EXTREMES(suffix, type)                                                                  \
  TARGET static void NAME(extremes_##suffix)(const void *data, size_t count, int64_t *out) {    \
    type first;                                                                                 \
    memcpy(&first, data, sizeof first);                                                         \
    type low = first, high = first;                                                             \
    for (size_t i = 1; i < count; i++) {                                                        \
      type v;                                                                                   \
      memcpy(&v, (const char *)data + i * sizeof(type), sizeof v);                              \
      low = v < low ? v : low;                                                                  \
      high = v > high ? v : high;                                                               \
    }                                                                                           \
    out[0] = low;                                                                               \
    out[1] = high;                                                                              \
  }

EXTREMES(i8, int8_t)
EXTREMES(i16, int16_t)
EXTREMES(i32, int32_t)
EXTREMES(i64, int64_t)
#undef EXTREMES

// Lanes side by side, because a compiler may not reorder floating point by itself.
#define REAL_EXTREMES(suffix, type)                                                             \
  TARGET static void NAME(extremes_##suffix)(const void *data, size_t count, type *out) {       \
    NAME(lanes_##suffix) v, low, high;                                                          \
    for (int j = 0; j < 8; j++) {                                                               \
      low[j] = (type)INFINITY;                                                                  \
      high[j] = -(type)INFINITY;                                                                \
    }                                                                                           \
    size_t i = 0;                                                                               \
    for (; i + 8 <= count; i += 8) {                                                            \
      memcpy(&v, (const char *)data + i * sizeof(type), sizeof v);                              \
      low = v < low ? v : low;                                                                  \
      high = v > high ? v : high;                                                               \
    }                                                                                           \
    for (; i < count; i++) {                                                                    \
      type last;                                                                                \
      memcpy(&last, (const char *)data + i * sizeof(type), sizeof last);                        \
      low[0] = last < low[0] ? last : low[0];                                                   \
      high[0] = last > high[0] ? last : high[0];                                                \
    }                                                                                           \
    for (int j = 1; j < 8; j++) {                                                               \
      low[0] = low[j] < low[0] ? low[j] : low[0];                                               \
      high[0] = high[j] > high[0] ? high[j] : high[0];                                          \
    }                                                                                           \
    out[0] = low[0];                                                                            \
    out[1] = high[0];                                                                           \
  }

REAL_EXTREMES(f32, float)
REAL_EXTREMES(f64, double)
#undef REAL_EXTREMES

#undef NAME
#undef TARGET

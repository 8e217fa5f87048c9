// Comparisons, sums and extremes of vectors of numbers, for the processor that we run on.

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "CScan.h"

typedef bool mask64 __attribute__((ext_vector_type(64)));
typedef bool mask8 __attribute__((ext_vector_type(8)));

#define INLINE static inline __attribute__((always_inline))

#define NAME(x) x##_any
#define TARGET
#include "kernels.h"

#if defined(__x86_64__)
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2")))
#include "kernels.h"
// A load and a test: the C runtime fills the table of features in before any of our code runs.
#define PICK(name, ...) \
  (__builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__) : name##_any(__VA_ARGS__))
#else
#define PICK(name, ...) name##_any(__VA_ARGS__)
#endif

#define RANGE(suffix, wide)                                                                     \
  void scan_range_##suffix(                                                                     \
      const void *data, size_t count, wide lower, wide upper, uint64_t *out) {                  \
    PICK(range_##suffix, data, count, lower, upper, out);                                       \
  }
RANGE(i8, int64_t)
RANGE(i16, int64_t)
RANGE(i32, int64_t)
RANGE(i64, int64_t)
RANGE(f32, float)
RANGE(f64, double)

#define SUM(suffix, type)                                                                       \
  type scan_sum_##suffix(const void *data, size_t count) {                                      \
    return PICK(sum_##suffix, data, count);                                                     \
  }
SUM(i8, int64_t)
SUM(i16, int64_t)
SUM(i32, int64_t)
SUM(f32, double)
SUM(f64, double)

#define EXTREMES(suffix, type)                                                                  \
  void scan_extremes_##suffix(const void *data, size_t count, type *out) {                      \
    PICK(extremes_##suffix, data, count, out);                                                  \
  }
EXTREMES(i8, int64_t)
EXTREMES(i16, int64_t)
EXTREMES(i32, int64_t)
EXTREMES(i64, int64_t)
EXTREMES(f32, float)
EXTREMES(f64, double)

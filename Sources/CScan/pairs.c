// Comparisons of two columns with each other: both are widened to 64 bits, then compared.

#include <stdbool.h>
#include <string.h>

#include "CScan.h"

typedef bool pair_mask __attribute__((ext_vector_type(8)));

#define NAME(x) x##_any
#define TARGET
#include "pairs.h"

#if defined(__x86_64__)
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2")))
#include "pairs.h"
#define PICK(name, ...) \
  (__builtin_cpu_supports("avx2") ? name##_avx2(__VA_ARGS__) : name##_any(__VA_ARGS__))
#else
#define PICK(name, ...) name##_any(__VA_ARGS__)
#endif

void scan_widen_i64(const void *data, int width, size_t count, void *out) {
  PICK(widen_i64, data, width, count, out);
}

void scan_widen_f64(const void *data, int width, size_t count, void *out) {
  PICK(widen_f64, data, width, count, out);
}

void scan_widen_f32(const void *data, size_t count, void *out) {
  const float *from = data;
  double *to = out;
  for (size_t i = 0; i < count; i++) to[i] = from[i];
}

void scan_pair_i64(const void *a, const void *b, size_t count, int relation, uint64_t *out) {
  PICK(pair_i64, a, b, count, relation, out);
}

void scan_pair_f64(const void *a, const void *b, size_t count, int relation, uint64_t *out) {
  PICK(pair_f64, a, b, count, relation, out);
}

#ifndef CSCAN_H
#define CSCAN_H

#include <stddef.h>
#include <stdint.h>

// Loops over packed column vectors that turn a comparison into a bitmap, one bit per row, or into
// a sum or an extremum. They are in C because Swift cannot turn a vector of lane masks into a
// bitmap without a call per lane. Each exists twice on x86-64: for any processor, and for AVX2.
//
// Conventions: `count` is at most 256; `out` has 4 words, all of which are written; bits at and
// beyond `count` are zero. Data needs no alignment. Nothing beyond `count` elements is read.

// Elements in lower ... upper. The bounds fit into the element type.
void scan_range_i8(const void *data, size_t count, int64_t lower, int64_t upper, uint64_t *out);
void scan_range_i16(const void *data, size_t count, int64_t lower, int64_t upper, uint64_t *out);
void scan_range_i32(const void *data, size_t count, int64_t lower, int64_t upper, uint64_t *out);
void scan_range_i64(const void *data, size_t count, int64_t lower, int64_t upper, uint64_t *out);
void scan_range_f32(const void *data, size_t count, float lower, float upper, uint64_t *out);
void scan_range_f64(const void *data, size_t count, double lower, double upper, uint64_t *out);

// Elements of `stride` bytes (12 or 16) that equal `value`.
void scan_fixed_equal(
    const void *data, size_t count, size_t stride, const void *value, uint64_t *out);

// Byte strings: row i is ends[i] ..< ends[i + 1] of the heap.
void scan_bytes_equal(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out);
void scan_bytes_begins(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out);
void scan_bytes_ends(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out);
void scan_bytes_contains(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out);
// Byte order below (`sign` < 0) or above (`sign` > 0) `value`, or equal too if `or_equal`.
void scan_bytes_order(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, int sign, int or_equal, uint64_t *out);

// Two byte strings: below 0, 0 or above 0 as the first is less, equal or greater.
int scan_compare(const void *a, size_t a_size, const void *b, size_t b_size);
// Whether `value` stands somewhere in `text`.
int scan_contains(const void *text, size_t size, const void *value, size_t length);

// Copies `text` with its ASCII capitals made small. 0 if there was anything but ASCII in it.
int scan_lower_ascii(const void *text, size_t size, uint8_t *out);

// Which byte strings have anything but ASCII in them.
void scan_bytes_beyond_ascii(
    const uint16_t *ends, const uint8_t *heap, size_t count, uint64_t *out);

// Elements as 64-bit integers or doubles; `width` as in integer vectors: 0, 1, 8, 16, 32 or 64 bits.
void scan_widen_i64(const void *data, int width, size_t count, void *out);
void scan_widen_f64(const void *data, int width, size_t count, void *out);
void scan_widen_f32(const void *data, size_t count, void *out);
// Rows where a == b (relation 0), a < b (1) or a <= b (2). Both have room for 256 elements.
void scan_pair_i64(const void *a, const void *b, size_t count, int relation, uint64_t *out);
void scan_pair_f64(const void *a, const void *b, size_t count, int relation, uint64_t *out);

// Sums wrap at 64 bits; the 8 to 32-bit ones cannot reach that with 256 elements.
int64_t scan_sum_i8(const void *data, size_t count);
int64_t scan_sum_i16(const void *data, size_t count);
int64_t scan_sum_i32(const void *data, size_t count);
double scan_sum_f32(const void *data, size_t count);
double scan_sum_f64(const void *data, size_t count);

// The smallest and largest of count > 0 elements into out[0] and out[1].
void scan_extremes_i8(const void *data, size_t count, int64_t *out);
void scan_extremes_i16(const void *data, size_t count, int64_t *out);
void scan_extremes_i32(const void *data, size_t count, int64_t *out);
void scan_extremes_i64(const void *data, size_t count, int64_t *out);
// The same for floating point, passing over not-a-number: +infinity and -infinity if there is
// nothing else.
void scan_extremes_f32(const void *data, size_t count, float *out);
void scan_extremes_f64(const void *data, size_t count, double *out);

// Asks for `size` bytes before they are read. Never faults, wherever `data` points. Up to five
// lines go into the first level of cache; more into the second, since the first waits for two dozen
// at a time, fewer than a vector of wide values has, and the scan at hand with it.
static inline void scan_prefetch(const void *data, size_t size) {
  const char *bytes = (const char *)data;
  if (size <= 320) {
    for (size_t i = 0; i < size; i += 64) __builtin_prefetch(bytes + i, 0, 3);
  } else {
    for (size_t i = 0; i < size; i += 64) __builtin_prefetch(bytes + i, 0, 2);
  }
}

// The direction of a place on a sphere, given in degrees, as x, y and z of length one.
void scan_geo_unit(double latitude, double longitude, double *out);
double scan_geo_sine(double radians);
// The angle of a direction, from -pi to pi.
double scan_geo_angle(double y, double x);

#endif

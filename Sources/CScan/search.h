// A search of the heaps of byte vectors, included once per instruction set like kernels.h.

// The first place at or after `from` where `value` stands in `heap`, or `size` if there is none.
// 32 places at a time are tested for the first and the last byte of the value.
TARGET static size_t NAME(find)(
    const uint8_t *heap, size_t from, size_t size, const uint8_t *value, size_t length) {
  uint8_t first = value[0], last = value[length - 1];
  while (from + 32 + length - 1 <= size) {
    bytes32 heads, tails;
    memcpy(&heads, heap + from, 32);
    memcpy(&tails, heap + from + length - 1, 32);
    mask32 both = __builtin_convertvector((heads == first) & (tails == last), mask32);
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    while (bits) {
      size_t place = from + (size_t)__builtin_ctz(bits);
      if (same_bytes(heap + place, value, length)) return place;
      bits &= bits - 1;
    }
    from += 32;
  }
  for (; from + length <= size; from++)
    if (heap[from] == first && same_bytes(heap + from, value, length)) return from;
  return size;
}

// The heap of all rows is searched at once; a hit counts if it lies within one row, and the search
// goes on behind that row.
TARGET static void NAME(contains)(
    const uint16_t *ends, const uint8_t *heap, size_t count,
    const uint8_t *value, size_t length, uint64_t *out) {
  memset(out, 0, 32);
  size_t row = 0, position = ends[0], end = ends[count];
  while (position + length <= end) {
    position = NAME(find)(heap, position, end, value, length);
    if (position == end) return;
    while (ends[row + 1] <= position) row++;
    size_t row_end = ends[row + 1];
    if (position + length > row_end) {
      position++;
      continue;
    }
    out[row / 64] |= 1ull << (row % 64);
    position = row_end;
    row++;
  }
}

#undef NAME
#undef TARGET

// CRC32C by the processor's instruction, three streams at a time: an instruction gives its result
// after three cycles, and another can begin in each. The streams are joined by what a number of
// zero bytes does to a checksum, which is linear and so comes from tables. Without the instruction
// all of it comes from tables.
#include "CPlatform.h"

#include <pthread.h>
#include <string.h>

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void build_table(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = (c & 1) ? (c >> 1) ^ 0x82F63B78u : c >> 1;
    table[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; i++)
    for (int k = 1; k < 8; k++)
      table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xFF];
}

static uint32_t crc32c_portable(uint32_t crc, const unsigned char *p, size_t n) {
  pthread_once(&table_once, build_table);
  while (n >= 8) {
    uint64_t w;
    memcpy(&w, p, 8);
    w ^= crc;
    crc = table[7][w & 0xFF] ^ table[6][(w >> 8) & 0xFF] ^ table[5][(w >> 16) & 0xFF] ^
          table[4][(w >> 24) & 0xFF] ^ table[3][(w >> 32) & 0xFF] ^ table[2][(w >> 40) & 0xFF] ^
          table[1][(w >> 48) & 0xFF] ^ table[0][(w >> 56) & 0xFF];
    p += 8;
    n -= 8;
  }
  while (n--) crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>
#define HAS_INSTRUCTION
#define CRC_FUNCTION __attribute__((target("sse4.2")))
#define CRC_WORD(crc, word) ((uint32_t)_mm_crc32_u64(crc, word))
#define CRC_BYTE(crc, byte) _mm_crc32_u8(crc, byte)
static int has_hardware(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__)
#include <stdatomic.h>
#include <sys/auxv.h>
#define HAS_INSTRUCTION
#define CRC_WORD(crc, word) crc_word(crc, word)
#define CRC_BYTE(crc, byte) crc_byte(crc, byte)
#define CRC_FUNCTION

// Written as instructions, since a program for every ARMv8.0 processor is not compiled with the
// extension, and compilers differ in how a single function asks for it.
static inline uint32_t crc_word(uint32_t crc, uint64_t word) {
  __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
  return crc;
}

static inline uint32_t crc_byte(uint32_t crc, unsigned char byte) {
  __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"((uint32_t)byte));
  return crc;
}

// Bit 7 of the kernel's list of what the processor can do (HWCAP_CRC32).
enum { hwcap_crc32 = 1 << 7 };

static int has_hardware(void) {
  static atomic_int known;  // 0: not asked yet, 1: no, 2: yes
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    answer = getauxval(AT_HWCAP) & hwcap_crc32 ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}
#endif

#ifdef HAS_INSTRUCTION
// Bytes of one stream: long ones while they last, then short ones.
enum { long_stream = 512, short_stream = 64 };

// What `long_stream` and `short_stream` zero bytes make of each byte of a checksum.
static uint32_t after_long[4][256];
static uint32_t after_short[4][256];
static pthread_once_t streams_once = PTHREAD_ONCE_INIT;

static void build_zeros(uint32_t (*result)[256], int count) {
  for (int place = 0; place < 4; place++)
    for (int bit = 0; bit < 8; bit++) {
      uint32_t crc = 1u << (8 * place + bit);
      for (int i = 0; i < count; i++) crc = (crc >> 8) ^ table[0][crc & 0xFF];
      for (int byte = 0; byte < 256; byte++)
        if (byte >> bit & 1) result[place][byte] ^= crc;
    }
}

static void build_streams(void) {
  pthread_once(&table_once, build_table);
  build_zeros(after_long, long_stream);
  build_zeros(after_short, short_stream);
}

static inline uint32_t zeros_after(const uint32_t (*after)[256], uint32_t crc) {
  return after[0][crc & 0xFF] ^ after[1][(crc >> 8) & 0xFF] ^ after[2][(crc >> 16) & 0xFF] ^
         after[3][crc >> 24];
}

static inline uint64_t word_at(const unsigned char *p) {
  uint64_t word;
  memcpy(&word, p, 8);
  return word;
}

CRC_FUNCTION static inline uint32_t three_streams(uint32_t first, const unsigned char *p,
                                                  size_t stream, const uint32_t (*after)[256]) {
  uint32_t second = 0, third = 0;
#pragma clang loop unroll_count(8)
  for (size_t i = 0; i < stream; i += 8) {
    first = CRC_WORD(first, word_at(p + i));
    second = CRC_WORD(second, word_at(p + stream + i));
    third = CRC_WORD(third, word_at(p + 2 * stream + i));
  }
  return zeros_after(after, zeros_after(after, first) ^ second) ^ third;
}

CRC_FUNCTION static uint32_t crc32c_hardware(uint32_t crc, const unsigned char *p, size_t n) {
  if (n >= 3 * short_stream) {
    pthread_once(&streams_once, build_streams);
    for (; n >= 3 * long_stream; n -= 3 * long_stream, p += 3 * long_stream)
      crc = three_streams(crc, p, long_stream, after_long);
    for (; n >= 3 * short_stream; n -= 3 * short_stream, p += 3 * short_stream)
      crc = three_streams(crc, p, short_stream, after_short);
  }
#pragma clang loop unroll_count(4)
  for (; n >= 8; n -= 8, p += 8) crc = CRC_WORD(crc, word_at(p));
  while (n--) crc = CRC_BYTE(crc, *p++);
  return crc;
}
#else
static int has_hardware(void) { return 0; }
static uint32_t crc32c_hardware(uint32_t crc, const unsigned char *p, size_t n) {
  return crc32c_portable(crc, p, n);
}
#endif

uint32_t holdfast_crc32c(uint32_t seed, const void *bytes, size_t length) {
  uint32_t crc = ~seed;
  crc = has_hardware() ? crc32c_hardware(crc, bytes, length)
                       : crc32c_portable(crc, bytes, length);
  return ~crc;
}

uint32_t holdfast_crc32c_by_table(uint32_t seed, const void *bytes, size_t length) {
  return ~crc32c_portable(~seed, bytes, length);
}

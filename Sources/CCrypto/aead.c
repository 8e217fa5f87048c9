#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The functions of libcrypto that are used. All of them are documented, and have been there with
// these signatures since OpenSSL 1.1; so the library's headers are not needed.
typedef struct evp_cipher_ctx_st Context;
typedef struct evp_cipher_st Cipher;
typedef struct evp_md_st Digest;

static struct {
  int (*init_crypto)(uint64_t options, const void *settings);
  Context *(*context_new)(void);
  void (*context_free)(Context *);
  int (*context_control)(Context *, int type, int number, void *pointer);
  int (*context_padding)(Context *, int padding);
  int (*encrypt_init)(Context *, const Cipher *, void *engine, const uint8_t *key,
                      const uint8_t *iv);
  int (*encrypt)(Context *, uint8_t *out, int *out_size, const uint8_t *in, int in_size);
  int (*encrypt_end)(Context *, uint8_t *out, int *out_size);
  int (*decrypt_init)(Context *, const Cipher *, void *engine, const uint8_t *key,
                      const uint8_t *iv);
  int (*decrypt)(Context *, uint8_t *out, int *out_size, const uint8_t *in, int in_size);
  int (*decrypt_end)(Context *, uint8_t *out, int *out_size);
  const Cipher *(*aes_256_gcm)(void);
  const Cipher *(*aes_256_ecb)(void);
  const Digest *(*sha256)(void);
  uint8_t *(*hmac)(const Digest *, const void *key, int key_size, const uint8_t *bytes,
                   size_t size, uint8_t *code, unsigned int *code_size);
} crypto;

enum { GET_TAG = 0x10, SET_TAG = 0x11 };
// The library's exit handler would take it down under threads that still read.
enum { NO_EXIT_HANDLER = 0x00080000 };

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static char failure[256];

static int find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

static int find_all(void *library) {
  return find(library, "OPENSSL_init_crypto", &crypto.init_crypto) &&
         find(library, "EVP_CIPHER_CTX_new", &crypto.context_new) &&
         find(library, "EVP_CIPHER_CTX_free", &crypto.context_free) &&
         find(library, "EVP_CIPHER_CTX_ctrl", &crypto.context_control) &&
         find(library, "EVP_CIPHER_CTX_set_padding", &crypto.context_padding) &&
         find(library, "EVP_EncryptInit_ex", &crypto.encrypt_init) &&
         find(library, "EVP_EncryptUpdate", &crypto.encrypt) &&
         find(library, "EVP_EncryptFinal_ex", &crypto.encrypt_end) &&
         find(library, "EVP_DecryptInit_ex", &crypto.decrypt_init) &&
         find(library, "EVP_DecryptUpdate", &crypto.decrypt) &&
         find(library, "EVP_DecryptFinal_ex", &crypto.decrypt_end) &&
         find(library, "EVP_aes_256_gcm", &crypto.aes_256_gcm) &&
         find(library, "EVP_aes_256_ecb", &crypto.aes_256_ecb) &&
         find(library, "EVP_sha256", &crypto.sha256) && find(library, "HMAC", &crypto.hmac);
}

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    strncpy(failure, reason ? reason : "libcrypto.so.3 is not there", sizeof failure - 1);
    library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    failure[0] = 0;
  }
  if (!find_all(library) || !crypto.init_crypto(NO_EXIT_HANDLER, NULL)) {
    strncpy(failure, "libcrypto lacks functions of OpenSSL 1.1 or later", sizeof failure - 1);
  }
}

const char *holdfast_crypto_load(void) {
  pthread_once(&loading, load);
  return failure[0] ? failure : NULL;
}

int holdfast_hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size,
                         uint8_t code[32]) {
  if (key_size > INT_MAX) return 0;
  unsigned int written = 0;
  return crypto.hmac(crypto.sha256(), key, (int)key_size, bytes, size, code, &written) &&
         written == 32;
}

enum { BLOCK = 16, PREFIX = 12 };

struct holdfast_aead {
  /// AES-256 under the key itself, which keys of nonces are derived with.
  Context *derivation;
  Context *sealing;
  Context *opening;
  /// The subkey of CMAC for whole blocks.
  uint8_t subkey[BLOCK];
  /// What the keys of `sealing` and `opening` were derived from, where they have one.
  uint8_t sealing_prefix[PREFIX];
  uint8_t opening_prefix[PREFIX];
  int can_seal;
  int can_open;
};

static int encrypt_blocks(struct holdfast_aead *aead, const uint8_t *in, uint8_t *out, int size) {
  int written = 0;
  return crypto.encrypt(aead->derivation, out, &written, in, size) && written == size;
}

struct holdfast_aead *holdfast_aead_make(const uint8_t key[32]) {
  struct holdfast_aead *aead = calloc(1, sizeof *aead);
  if (!aead) return NULL;
  aead->derivation = crypto.context_new();
  aead->sealing = crypto.context_new();
  aead->opening = crypto.context_new();
  const uint8_t zeros[BLOCK] = {0};
  uint8_t block[BLOCK];
  if (!aead->derivation || !aead->sealing || !aead->opening ||
      !crypto.encrypt_init(aead->derivation, crypto.aes_256_ecb(), NULL, key, NULL) ||
      !crypto.context_padding(aead->derivation, 0) ||
      !crypto.encrypt_init(aead->sealing, crypto.aes_256_gcm(), NULL, NULL, NULL) ||
      !crypto.decrypt_init(aead->opening, crypto.aes_256_gcm(), NULL, NULL, NULL) ||
      !encrypt_blocks(aead, zeros, block, BLOCK)) {
    holdfast_aead_free(aead);
    return NULL;
  }
  // The block as a number of 128 bits, doubled in the field that CMAC uses.
  uint8_t carry = block[0] >> 7;
  for (int i = 0; i < BLOCK - 1; i++) {
    aead->subkey[i] = (uint8_t)(block[i] << 1 | block[i + 1] >> 7);
  }
  aead->subkey[BLOCK - 1] = (uint8_t)(block[BLOCK - 1] << 1 ^ (carry ? 0x87 : 0));
  return aead;
}

void holdfast_aead_free(struct holdfast_aead *aead) {
  if (!aead) return;
  crypto.context_free(aead->derivation);
  crypto.context_free(aead->sealing);
  crypto.context_free(aead->opening);
  explicit_bzero(aead, sizeof *aead);
  free(aead);
}

/// The key of all nonces that begin with the prefix: the first two blocks of NIST's key derivation
/// in counter mode over CMAC.
static int derive(struct holdfast_aead *aead, const uint8_t *prefix, uint8_t key[2 * BLOCK]) {
  uint8_t blocks[2 * BLOCK] = {0};
  for (int i = 0; i < 2; i++) {
    uint8_t *block = blocks + i * BLOCK;
    block[1] = (uint8_t)(i + 1);
    block[2] = 'X';
    memcpy(block + 4, prefix, PREFIX);
    for (int j = 0; j < BLOCK; j++) block[j] ^= aead->subkey[j];
  }
  return encrypt_blocks(aead, blocks, key, sizeof blocks);
}

static int begin_sealing(struct holdfast_aead *aead, const uint8_t *nonce) {
  const uint8_t *iv = nonce + PREFIX;
  if (aead->can_seal && memcmp(aead->sealing_prefix, nonce, PREFIX) == 0) {
    return crypto.encrypt_init(aead->sealing, NULL, NULL, NULL, iv);
  }
  uint8_t key[2 * BLOCK];
  aead->can_seal = derive(aead, nonce, key) &&
                   crypto.encrypt_init(aead->sealing, NULL, NULL, key, iv);
  memcpy(aead->sealing_prefix, nonce, PREFIX);
  explicit_bzero(key, sizeof key);
  return aead->can_seal;
}

static int begin_opening(struct holdfast_aead *aead, const uint8_t *nonce) {
  const uint8_t *iv = nonce + PREFIX;
  if (aead->can_open && memcmp(aead->opening_prefix, nonce, PREFIX) == 0) {
    return crypto.decrypt_init(aead->opening, NULL, NULL, NULL, iv);
  }
  uint8_t key[2 * BLOCK];
  aead->can_open = derive(aead, nonce, key) &&
                   crypto.decrypt_init(aead->opening, NULL, NULL, key, iv);
  memcpy(aead->opening_prefix, nonce, PREFIX);
  explicit_bzero(key, sizeof key);
  return aead->can_open;
}

int holdfast_aead_seal(struct holdfast_aead *aead, const uint8_t nonce[24], const void *data,
                       size_t data_size, void *text, size_t size, uint8_t tag[16]) {
  int written = 0;
  uint8_t rest[BLOCK];
  if (size > INT_MAX || data_size > INT_MAX) return 0;
  return begin_sealing(aead, nonce) &&
         crypto.encrypt(aead->sealing, NULL, &written, data, (int)data_size) &&
         (size == 0 || (crypto.encrypt(aead->sealing, text, &written, text, (int)size) &&
                        written == (int)size)) &&
         crypto.encrypt_end(aead->sealing, rest, &written) &&
         crypto.context_control(aead->sealing, GET_TAG, BLOCK, tag);
}

int holdfast_aead_open(struct holdfast_aead *aead, const uint8_t nonce[24], const void *data,
                       size_t data_size, void *text, size_t size, const uint8_t tag[16]) {
  int written = 0;
  uint8_t rest[BLOCK];
  uint8_t expected[BLOCK];
  memcpy(expected, tag, BLOCK);
  if (size > INT_MAX || data_size > INT_MAX) return 0;
  return begin_opening(aead, nonce) &&
         crypto.decrypt(aead->opening, NULL, &written, data, (int)data_size) &&
         (size == 0 || (crypto.decrypt(aead->opening, text, &written, text, (int)size) &&
                        written == (int)size)) &&
         crypto.context_control(aead->opening, SET_TAG, BLOCK, expected) &&
         crypto.decrypt_end(aead->opening, rest, &written) > 0;
}

int holdfast_aead_peek(struct holdfast_aead *aead, const uint8_t nonce[24], void *text,
                       size_t size) {
  int written = 0;
  if (size > INT_MAX) return 0;
  return begin_opening(aead, nonce) &&
         crypto.decrypt(aead->opening, text, &written, text, (int)size) && written == (int)size;
}

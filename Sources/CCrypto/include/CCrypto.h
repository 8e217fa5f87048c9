// Authenticated encryption and hashing by OpenSSL's libcrypto, which is loaded when the first file
// with a key is opened: a program without one neither needs it nor pays for it.
#ifndef HOLDFAST_CCRYPTO_H
#define HOLDFAST_CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

/// Loads the library, once. NULL, or why that failed: the text stays valid.
const char *holdfast_crypto_load(void);

/// HMAC-SHA-256. Returns 0 where the library fails.
int holdfast_hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size,
                         uint8_t code[32]);

/// XAES-256-GCM (C2SP) under one key: AES-256-GCM under a key that follows from the first twelve
/// bytes of the nonce, so that nonces may be random. For one thread at a time.
struct holdfast_aead;

/// NULL where there is no memory.
struct holdfast_aead *holdfast_aead_make(const uint8_t key[32]);
void holdfast_aead_free(struct holdfast_aead *aead);

/// Encrypts `text` in place; the tag also covers `data`. Returns 0 where the library fails.
int holdfast_aead_seal(struct holdfast_aead *aead, const uint8_t nonce[24], const void *data,
                       size_t data_size, void *text, size_t size, uint8_t tag[16]);

/// Decrypts `text` in place. Returns 0 if it, or `data`, is not what was encrypted; then `text`
/// holds nothing of use.
int holdfast_aead_open(struct holdfast_aead *aead, const uint8_t nonce[24], const void *data,
                       size_t data_size, void *text, size_t size, const uint8_t tag[16]);

/// Decrypts the beginning of a text in place, without looking whether it is authentic. Returns 0
/// where the library fails.
int holdfast_aead_peek(struct holdfast_aead *aead, const uint8_t nonce[24], void *text,
                       size_t size);

#endif

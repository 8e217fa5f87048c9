// The few calls and constants that Swift cannot reach through Glibc: variadic system calls,
// feature-gated constants, and the processor's CRC32C instruction.
#ifndef HOLDFAST_CPLATFORM_H
#define HOLDFAST_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/// CRC32C (Castagnoli) of `length` bytes, continuing from `seed` (0 for a fresh sum).
uint32_t holdfast_crc32c(uint32_t seed, const void *bytes, size_t length);

/// The same without the processor's instruction; for tests, which compare the two.
uint32_t holdfast_crc32c_by_table(uint32_t seed, const void *bytes, size_t length);

/// As pwrite(), with -1 and errno for a failure. That one lets a thread be cancelled while it waits,
/// and has to say so before and after each call.
int64_t holdfast_write_at(int descriptor, const void *bytes, size_t count, uint64_t offset);

// The functions below return 0, or the errno value of the call that failed.

enum { HOLDFAST_UNLOCK = 0, HOLDFAST_SHARED = 1, HOLDFAST_EXCLUSIVE = 2 };

/// Sets or drops an open-file-description lock on one byte. EINTR is retried; without `wait`, a
/// lock that somebody else holds gives EAGAIN.
int holdfast_lock(int descriptor, uint64_t byte, int kind, int wait);

/// Drops every lock of this open file description.
int holdfast_unlock_all(int descriptor);

/// Whether a lock of `kind` by another open file description is in the way; 1 or 0 into `held`.
int holdfast_lock_query(int descriptor, uint64_t byte, int kind, int *held);

/// Asks a file system that copies on write (Btrfs) to write an empty file where it is from here on;
/// without effect elsewhere.
void holdfast_write_in_place(int descriptor);

// Whether the file system writes the bytes of a file where they are: 0 on Btrfs, but for files for which
// it has been asked while they were empty.
int holdfast_writes_in_place(int descriptor);

int holdfast_punch_hole(int descriptor, uint64_t offset, uint64_t length);

/// The magic number of the file system that holds the file.
int holdfast_filesystem_magic(int descriptor, uint32_t *magic);

/// Sleeps while `*word == expected`, at most `timeout_ns` (negative: for ever). Returns 0 when woken
/// (also spuriously), EAGAIN when the word already differed, ETIMEDOUT.
int holdfast_futex_wait(const void *word, uint32_t expected, int64_t timeout_ns);

/// A word to sleep on together with others, and what it holds as long as nothing has happened.
struct holdfast_awaited_word {
  const void *address;
  uint32_t expected;
};

enum { HOLDFAST_AWAITED_WORDS_MAX = 128 };

/// Whether the kernel lets a thread sleep on several words at once.
int holdfast_can_wait_for_any(void);

/// Sleeps until one of the words is woken or differs, at most `timeout_ns` (negative: for ever).
void holdfast_futex_wait_any(const struct holdfast_awaited_word *words, unsigned count,
                             int64_t timeout_ns);

/// Wakes up to `count` sleepers on the word; the result is how many there were.
int holdfast_futex_wake(const void *word, int count);

/// As open(2), EINTR retried, for a descriptor that a child made by fork() must not keep: the child
/// closes it before fork() returns. Closed by `holdfast_close_guarded`.
int holdfast_open_guarded(const char *path, int flags, unsigned mode);
void holdfast_close_guarded(int descriptor);

/// How many forks lie between this process and the one that first called; a handle remembers the
/// value of its birth and is of no use under another.
extern uint32_t holdfast_fork_count;
static inline const uint32_t *holdfast_fork_counter(void) { return &holdfast_fork_count; }

/// A wait for a byte lock that can be given up. `done` is called with 0 or an errno value on a thread
/// made for the wait. The handle is released once, whatever becomes of the wait.
struct holdfast_lock_wait;
int holdfast_lock_wait_start(int descriptor, uint64_t byte, int kind,
                             void (*done)(void *context, int code), void *context,
                             struct holdfast_lock_wait **result);
/// 1: `done` has not been called and never will be, and the lock is not held. 0: too late.
int holdfast_lock_wait_cancel(struct holdfast_lock_wait *wait);
void holdfast_lock_wait_release(struct holdfast_lock_wait *wait);

/// A number of the calling thread, for whatever purpose; 0 at first.
extern _Thread_local uint32_t holdfast_hint;
static inline uint32_t *holdfast_thread_hint(void) { return &holdfast_hint; }

/// Who decides when the calling thread of a simulated machine runs; NULL on real threads.
void **holdfast_scheduled_thread(void);

/// Starts a detached thread that receives no signals. `name`: up to 15 bytes.
int holdfast_thread_start(const char *name, void *(*body)(void *), void *context);

/// The calling thread's slice of a processor in nanoseconds: how long the kernel lets it run before it
/// looks whether somebody else should. 0 where there is none: before Linux 6.12, and for threads that
/// are not scheduled as ordinary ones.
uint64_t holdfast_slice(void);

/// Asks for another slice; 0 for the kernel's choice. Nothing else of the thread changes.
int holdfast_slice_set(uint64_t nanoseconds);

#endif

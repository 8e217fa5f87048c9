// System calls and constants that the Swift importer does not see.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct flock one_byte(uint64_t byte, int kind) {
  struct flock lock = {0};
  lock.l_type = kind == HOLDFAST_UNLOCK ? F_UNLCK : kind == HOLDFAST_SHARED ? F_RDLCK : F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)byte;
  lock.l_len = 1;
  return lock;
}

int holdfast_lock(int descriptor, uint64_t byte, int kind, int wait) {
  struct flock lock = one_byte(byte, kind);
  while (fcntl(descriptor, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    return errno == EACCES ? EAGAIN : errno;
  }
  return 0;
}

int64_t holdfast_write_at(int descriptor, const void *bytes, size_t count, uint64_t offset) {
  return syscall(SYS_pwrite64, descriptor, bytes, count, (off_t)offset);
}

int holdfast_unlock_all(int descriptor) {
  struct flock lock = one_byte(0, HOLDFAST_UNLOCK);
  lock.l_len = 0;  // to the end of what can be locked
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

int holdfast_lock_query(int descriptor, uint64_t byte, int kind, int *held) {
  struct flock lock = one_byte(byte, kind);
  while (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) {
    if (errno != EINTR) return errno;
  }
  *held = lock.l_type != F_UNLCK;
  return 0;
}

void holdfast_write_in_place(int descriptor) {
  int flags = 0;
  if (ioctl(descriptor, FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_NOCOW_FL;
  (void)ioctl(descriptor, FS_IOC_SETFLAGS, &flags);
}

int holdfast_writes_in_place(int descriptor) {
  struct statfs status;
  int flags = 0;
  if (fstatfs(descriptor, &status) != 0 || (uint32_t)status.f_type != BTRFS_SUPER_MAGIC) return 1;
  return ioctl(descriptor, FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_NOCOW_FL) != 0;
}

int holdfast_punch_hole(int descriptor, uint64_t offset, uint64_t length) {
  const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  while (fallocate(descriptor, mode, (off_t)offset, (off_t)length) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int holdfast_filesystem_magic(int descriptor, uint32_t *magic) {
  struct statfs status;
  while (fstatfs(descriptor, &status) != 0) {
    if (errno != EINTR) return errno;
  }
  *magic = (uint32_t)status.f_type;
  return 0;
}

int holdfast_futex_wait(const void *word, uint32_t expected, int64_t timeout_ns) {
  struct timespec timeout = {timeout_ns / 1000000000, timeout_ns % 1000000000};
  long result = syscall(SYS_futex, word, FUTEX_WAIT, expected,
                        timeout_ns < 0 ? NULL : &timeout, NULL, 0);
  if (result == 0 || errno == EINTR) return 0;
  return errno;
}

// Linux has it since 5.16, libraries and headers of late.
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

enum { FUTEX_OF_32_BITS = 2 };

int holdfast_can_wait_for_any(void) {
  syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0);
  return errno == EINVAL;
}

void holdfast_futex_wait_any(const struct holdfast_awaited_word *words, unsigned count,
                             int64_t timeout_ns) {
  struct {
    uint64_t expected, address;
    uint32_t flags, reserved;
  } waiters[HOLDFAST_AWAITED_WORDS_MAX];
  for (unsigned i = 0; i < count; i++) {
    waiters[i].expected = words[i].expected;
    waiters[i].address = (uintptr_t)words[i].address;
    waiters[i].flags = FUTEX_OF_32_BITS;
    waiters[i].reserved = 0;
  }
  // This call takes a point in time where the other one takes a duration.
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += timeout_ns / 1000000000;
  end.tv_nsec += timeout_ns % 1000000000;
  if (end.tv_nsec >= 1000000000) {
    end.tv_sec++;
    end.tv_nsec -= 1000000000;
  }
  syscall(SYS_futex_waitv, waiters, count, 0, timeout_ns < 0 ? NULL : &end, CLOCK_MONOTONIC);
}

int holdfast_futex_wake(const void *word, int count) {
  long result = syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
  return result < 0 ? 0 : (int)result;
}

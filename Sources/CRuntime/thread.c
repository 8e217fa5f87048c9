#include "CRuntime.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint_fast64_t last_identifier;
static _Thread_local uint64_t identifier;

uint64_t holdfast_thread_identifier(void) {
  if (identifier == 0) identifier = atomic_fetch_add(&last_identifier, 1) + 1;
  return identifier;
}

int holdfast_is_main_thread(void) {
  static _Thread_local signed char known;  // 1: the main thread, -1: another one, 0: not asked yet
  if (known == 0) known = syscall(SYS_gettid) == getpid() ? 1 : -1;
  return known > 0;
}

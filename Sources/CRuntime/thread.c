#include "CRuntime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint_fast64_t last_identifier;
static _Thread_local uint64_t identifier;

// In a child made by fork() the one thread there is counts as a new one, so that whatever belonged
// to it before the fork is found to be out of place.
static void after_fork_in_child(void) { identifier = 0; }

__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(NULL, NULL, after_fork_in_child);
}

uint64_t holdfast_thread_identifier(void) {
  if (identifier == 0) identifier = atomic_fetch_add(&last_identifier, 1) + 1;
  return identifier;
}

int holdfast_is_main_thread(void) {
  static _Thread_local signed char known;  // 1: the main thread, -1: another one, 0: not asked yet
  if (known == 0) known = syscall(SYS_gettid) == getpid() ? 1 : -1;
  return known > 0;
}

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

// The runtime's own function; Swift code may not name it.
extern void swift_release(void *object);

static pthread_key_t thread_object;

__attribute__((constructor)) static void watch_forks_and_threads(void) {
  pthread_atfork(NULL, NULL, after_fork_in_child);
  pthread_key_create(&thread_object, swift_release);
}

void *holdfast_thread_object(void) { return pthread_getspecific(thread_object); }

void holdfast_set_thread_object(void *object) { pthread_setspecific(thread_object, object); }

uint64_t holdfast_thread_identifier(void) {
  if (identifier == 0) identifier = atomic_fetch_add(&last_identifier, 1) + 1;
  return identifier;
}

int holdfast_is_main_thread(void) {
  static _Thread_local signed char known;  // 1: the main thread, -1: another one, 0: not asked yet
  if (known == 0) known = syscall(SYS_gettid) == getpid() ? 1 : -1;
  return known > 0;
}

static _Thread_local void *pending_releases;

void *holdfast_pending_releases(void) { return pending_releases; }

void holdfast_set_pending_releases(void *releases) { pending_releases = releases; }

#ifndef HOLDFAST_CLIBUV_SHIM_H
#define HOLDFAST_CLIBUV_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uv.h>

// What a loop needs besides libuv, so that the Swift target above imports nothing else.

/// Names the calling thread (the kernel keeps 15 bytes).
static inline void clibuv_name_thread(const char *name) {
  prctl(PR_SET_NAME, (unsigned long)name, 0UL, 0UL, 0UL);
}

static inline bool clibuv_on_main_thread(void) {
  return syscall(SYS_gettid) == (long)getpid();
}

// A descriptor that other threads make readable. libuv has `uv_async_t` for that, but its loop waits
// for a sender that the kernel has stopped between the signal and its end, be it for milliseconds.

/// Returns -1 where there is none to be had.
static inline int clibuv_make_signal(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void clibuv_raise(int signal) {
  const uint64_t one = 1;
  // Fails only where it is raised as often as there are numbers, and then it is raised.
  (void)!write(signal, &one, sizeof one);
}

static inline void clibuv_lower(int signal) {
  uint64_t times;
  (void)!read(signal, &times, sizeof times);
}

static inline void clibuv_close_signal(int signal) { close(signal); }

// What libdispatch offers to foreign run loops of the main thread, Foundation's own among them: a
// descriptor that becomes readable when the main queue has work, and the call that does the work.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

static inline int clibuv_main_queue_descriptor(void) {
  return _dispatch_get_main_queue_handle_4CF();
}

static inline void clibuv_run_main_queue(int descriptor) {
  uint64_t wakes;
  // Non-blocking; the descriptor stays readable until it has been read.
  (void)!read(descriptor, &wakes, sizeof wakes);
  _dispatch_main_queue_callback_4CF((void *)0);
}

/// A key whose destructor runs at the end of a thread that has set it.
static inline int clibuv_make_thread_key(uv_key_t *key, void (*destructor)(void *)) {
  return pthread_key_create(key, destructor);
}

#endif

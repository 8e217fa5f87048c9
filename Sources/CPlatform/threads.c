#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local uint32_t holdfast_hint = 0;

static _Thread_local void *scheduled_thread = NULL;

void **holdfast_scheduled_thread(void) { return &scheduled_thread; }

int holdfast_thread_start(const char *name, void *(*body)(void *), void *context) {
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code != 0) return code;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // No signal handler of the program runs on threads of ours.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  code = pthread_create(&thread, &attributes, body, context);
  if (code == 0) pthread_setname_np(thread, name);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}

// The kernel's struct sched_attr in its first form. Its own header does not go together with <sched.h>,
// and libraries have it only of late.
struct scheduling {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};
enum { KEEP_POLICY = 0x08 };

static int scheduling_of_thread(struct scheduling *scheduling) {
  *scheduling = (struct scheduling){0};
  return syscall(SYS_sched_getattr, 0, scheduling, sizeof *scheduling, 0) == 0 ? 0 : errno;
}

uint64_t holdfast_slice(void) {
  struct scheduling now;
  if (scheduling_of_thread(&now) != 0) return 0;
  return now.policy == SCHED_OTHER ? now.runtime : 0;
}

int holdfast_slice_set(uint64_t nanoseconds) {
  struct scheduling scheduling;
  int code = scheduling_of_thread(&scheduling);
  if (code != 0) return code;
  if (scheduling.policy != SCHED_OTHER) return EINVAL;
  scheduling.flags = KEEP_POLICY;
  scheduling.runtime = nanoseconds;
  return syscall(SYS_sched_setattr, 0, &scheduling, 0) == 0 ? 0 : errno;
}

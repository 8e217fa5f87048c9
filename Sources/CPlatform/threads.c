#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

static _Thread_local uint32_t hint = 0;

uint32_t *holdfast_thread_hint(void) { return &hint; }

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

// Waiting for a byte lock on a thread of its own, so that the wait can be given up: a sleeping
// F_OFD_SETLKW has no timeout and heeds no descriptor, but it is a cancellation point. Only C runs
// on the thread while it can be cancelled, so no frame of another language is ever unwound.
#include "CPlatform.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct holdfast_lock_wait {
  pthread_mutex_t mutex;
  pthread_t thread;
  int descriptor;
  uint64_t byte;
  int kind;
  void (*done)(void *context, int code);
  void *context;
  int finished;   // done is being called or has been
  int cancelled;  // done will never be called
  int holders;    // the thread and the handle
};

static void drop(struct holdfast_lock_wait *wait) {
  pthread_mutex_lock(&wait->mutex);
  int last = --wait->holders == 0;
  pthread_mutex_unlock(&wait->mutex);
  if (!last) return;
  pthread_mutex_destroy(&wait->mutex);
  free(wait);
}

static void *run(void *argument) {
  struct holdfast_lock_wait *wait = argument;
  int code = holdfast_lock(wait->descriptor, wait->byte, wait->kind, 1);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_mutex_lock(&wait->mutex);
  int cancelled = wait->cancelled;
  if (!cancelled) wait->finished = 1;
  pthread_mutex_unlock(&wait->mutex);
  if (cancelled) return NULL;  // whoever cancelled joins the thread and drops its share
  pthread_detach(pthread_self());
  wait->done(wait->context, code);
  drop(wait);
  return NULL;
}

int holdfast_lock_wait_start(int descriptor, uint64_t byte, int kind,
                             void (*done)(void *context, int code), void *context,
                             struct holdfast_lock_wait **result) {
  struct holdfast_lock_wait *wait = calloc(1, sizeof *wait);
  if (!wait) return ENOMEM;
  pthread_mutex_init(&wait->mutex, NULL);
  wait->descriptor = descriptor;
  wait->byte = byte;
  wait->kind = kind;
  wait->done = done;
  wait->context = context;
  wait->holders = 2;
  *result = wait;
  // No signal handler of the program runs on this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_mutex_lock(&wait->mutex);
  int code = pthread_create(&wait->thread, NULL, run, wait);
  pthread_mutex_unlock(&wait->mutex);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (code != 0) free(wait);
  return code;
}

int holdfast_lock_wait_cancel(struct holdfast_lock_wait *wait) {
  pthread_mutex_lock(&wait->mutex);
  int mine = !wait->finished && !wait->cancelled;
  if (mine) wait->cancelled = 1;
  pthread_mutex_unlock(&wait->mutex);
  if (!mine) return 0;
  pthread_cancel(wait->thread);
  pthread_join(wait->thread, NULL);
  // The thread may have been given the lock at the very moment it was cancelled.
  holdfast_lock(wait->descriptor, wait->byte, HOLDFAST_UNLOCK, 0);
  drop(wait);
  return 1;
}

void holdfast_lock_wait_release(struct holdfast_lock_wait *wait) { drop(wait); }

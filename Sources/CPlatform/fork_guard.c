// A child made by fork() shares the parent's open file descriptions, and with them its byte locks:
// a lock would outlive the parent for as long as the child keeps the descriptor. So the child
// closes every guarded descriptor before fork() returns in it. Children made by posix_spawn or
// vfork run no handlers; they lose the descriptors at exec, because all of them are close-on-exec.
#include "CPlatform.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t generation = 0;

uint32_t holdfast_fork_generation(void) { return generation; }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *descriptors = NULL;
static size_t count = 0;
static size_t capacity = 0;

static void before_fork(void) { pthread_mutex_lock(&mutex); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&mutex); }

static void after_fork_in_child(void) {
  for (size_t i = 0; i < count; i++) close(descriptors[i]);
  count = 0;
  generation++;
  pthread_mutex_unlock(&mutex);
}

static void install(void) {
  if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) abort();
}

void holdfast_fork_guard_add(int descriptor) {
  pthread_once(&once, install);
  pthread_mutex_lock(&mutex);
  if (count == capacity) {
    capacity = capacity ? capacity * 2 : 64;
    int *grown = realloc(descriptors, capacity * sizeof(int));
    if (!grown) abort();
    descriptors = grown;
  }
  descriptors[count++] = descriptor;
  pthread_mutex_unlock(&mutex);
}

void holdfast_fork_guard_remove(int descriptor) {
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < count; i++) {
    if (descriptors[i] == descriptor) {
      descriptors[i] = descriptors[--count];
      break;
    }
  }
  pthread_mutex_unlock(&mutex);
}

// A child made by fork() shares the parent's open file descriptions, and with them its byte locks:
// a lock would outlive the parent for as long as the child keeps the descriptor. So the child
// closes every guarded descriptor before fork() returns in it. Children made by posix_spawn or
// vfork run no handlers; they lose the descriptors at exec, because all of them are close-on-exec.
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

uint32_t holdfast_fork_count = 0;

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
  holdfast_fork_count++;
  pthread_mutex_unlock(&mutex);
}

static void install(void) {
  if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) abort();
}

// With the mutex held, so that no fork falls between the opening and the entry in the list: its child
// would keep the descriptor, and the locks that the parent takes with it later.
int holdfast_open_guarded(const char *path, int flags, unsigned mode) {
  pthread_once(&once, install);
  pthread_mutex_lock(&mutex);
  int descriptor = -1, code = 0;
  if (count == capacity) {
    size_t wanted = capacity ? capacity * 2 : 64;
    int *grown = realloc(descriptors, wanted * sizeof(int));
    if (grown) {
      descriptors = grown;
      capacity = wanted;
    } else {
      code = ENOMEM;
    }
  }
  if (code == 0) {
    do descriptor = open(path, flags, (mode_t)mode);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor >= 0) descriptors[count++] = descriptor;
    else code = errno;
  }
  pthread_mutex_unlock(&mutex);
  errno = code;
  return descriptor;
}

void holdfast_close_guarded(int descriptor) {
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < count; i++) {
    if (descriptors[i] == descriptor) {
      descriptors[i] = descriptors[--count];
      break;
    }
  }
  close(descriptor);
  pthread_mutex_unlock(&mutex);
}

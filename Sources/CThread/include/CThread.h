// What threads are asked on every access to a realm, where a call into Foundation would be too slow.
#ifndef HOLDFAST_CTHREAD_H
#define HOLDFAST_CTHREAD_H

#include <stdint.h>

/// A number from 1 on that no other thread of this process has or had (about a nanosecond).
uint64_t holdfast_thread_identifier(void);

/// Whether the caller is the thread that the process started with.
int holdfast_is_main_thread(void);

#endif

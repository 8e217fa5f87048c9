// The identity of threads, and what is asked of the Swift runtime where Swift itself has no way, or one
// that is too slow for what every access to a realm asks.
#ifndef HOLDFAST_CRUNTIME_H
#define HOLDFAST_CRUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A number from 1 on that no other thread of this process has or had (about a nanosecond).
uint64_t holdfast_thread_identifier(void);

/// Whether the caller is the thread that the process started with.
int holdfast_is_main_thread(void);

/// The Swift object that the calling thread keeps, not retained for the caller; NULL without one.
void *holdfast_thread_object(void);

/// Lets the calling thread, which keeps none yet, keep a Swift object. The reference to it is the
/// thread's from then on, and is released at the thread's end.
void holdfast_set_thread_object(void *object);

/// What the calling thread has yet to release; NULL where it releases nothing now.
void *holdfast_pending_releases(void);

/// Sets it. The caller owns what it points to.
void holdfast_set_pending_releases(void *releases);

/// Whether the caller runs on an executor, given as the two words of an `UnownedSerialExecutor`.
/// Unlike Swift's own ways to ask, the answer no does not stop the program (about 7 ns).
bool holdfast_is_current_executor(uintptr_t identity, uintptr_t implementation);

/// Memory for an instance of a Swift class, with the header that the runtime gives it: one reference
/// that the caller owns. The fields have yet to be filled.
void *holdfast_allocate_object(const void *metadata, size_t size, size_t alignment_mask);

/// Retains a Swift object unless it is being destroyed; NULL then. The object's memory must be there.
void *holdfast_try_retain(void *object);

#endif

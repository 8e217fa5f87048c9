#include "CRuntime.h"

// The runtime's own function; Swift code may not name it.
extern void *swift_tryRetain(void *object);

void *holdfast_try_retain(void *object) { return swift_tryRetain(object); }

#ifndef VIGIL_CMALLOC_SHIM_H
#define VIGIL_CMALLOC_SHIM_H

// The Glibc module leaves malloc.h out.
#include <malloc.h>

/// Keeps all threads to one heap; to be called before there is a second thread.
static inline void vigil_keep_one_heap(void) { mallopt(M_ARENA_MAX, 1); }

#endif

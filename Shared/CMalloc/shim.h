#ifndef VIGIL_CMALLOC_SHIM_H
#define VIGIL_CMALLOC_SHIM_H

// The Glibc module leaves malloc.h out.
#include <malloc.h>

/// Keeps all threads to one heap that gives back what a burst took; to be called before there is a second thread.
///
/// Left alone, malloc raises both thresholds to the largest block that was ever freed (up to 32 MB), and twice as much stays at the heap's end.
static inline void vigil_keep_one_heap(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

#endif

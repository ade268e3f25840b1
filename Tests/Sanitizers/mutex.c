// Tells the thread sanitizer what Swift's Mutex does while several threads want it.
//
// Its quick way, one atomic exchange, is compiled into the program and seen. Its slow way is not: it lies in the Swift runtime, which is built
// without the sanitizer, and partly in the kernel, which hands a futex over by itself. Without this, whatever a contended mutex guards looks as if
// nothing did. deploy/sanitize links this file into every program, with `--wrap` for the two functions.
#include <stdint.h>

extern void __tsan_acquire(void *);
extern void __tsan_release(void *);

// Synchronization._MutexHandle._lockSlow(UInt32) and ._unlockSlow(): the handle is the mutex's word itself.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define HANDLE __attribute__((swift_context)) void *handle

__attribute__((swiftcall)) void real_lock(uint32_t thread, HANDLE) __asm__("__real_" LOCK);
__attribute__((swiftcall)) void real_unlock(HANDLE) __asm__("__real_" UNLOCK);
__attribute__((swiftcall)) void lock(uint32_t thread, HANDLE) __asm__("__wrap_" LOCK);
__attribute__((swiftcall)) void unlock(HANDLE) __asm__("__wrap_" UNLOCK);

__attribute__((swiftcall)) void lock(uint32_t thread, HANDLE) {
    real_lock(thread, handle);
    __tsan_acquire(handle);
}

__attribute__((swiftcall)) void unlock(HANDLE) {
    __tsan_release(handle);
    real_unlock(handle);
}

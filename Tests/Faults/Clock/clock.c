// A wall clock that can be set wrong for one process: preloaded (LD_PRELOAD), it adds the nanoseconds that the first eight bytes of the file
// FAULT_CLOCK hold to whatever says what time it is. The monotonic clock stays right. Built by deploy/faults.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static const _Atomic long long *offset;

__attribute__((constructor)) static void begin(void) {
    real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("FAULT_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) offset = shared;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real_clock_gettime) begin();
    int code = real_clock_gettime(clock, time);
    if (code || !offset || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return code;
    long long wrong = time->tv_sec * 1000000000LL + time->tv_nsec + atomic_load(offset);
    *time = (struct timespec){.tv_sec = wrong / 1000000000, .tv_nsec = wrong % 1000000000};
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int code = clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return code;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

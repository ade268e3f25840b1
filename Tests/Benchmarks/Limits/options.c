#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *option(Options options, const char *name, const char *otherwise) {
    for (int i = 0; i + 1 < options.count; i += 2)
        if (strncmp(options.words[i], "--", 2) == 0 && strcmp(options.words[i] + 2, name) == 0) return options.words[i + 1];
    return otherwise;
}

long long option_number(Options options, const char *name, long long otherwise) {
    const char *text = option(options, name, NULL);
    if (!text) return otherwise;
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*end || end == text) fail("--%s takes a whole number, not %s", name, text);
    return value;
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static long long clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

long long now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

long long processor_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

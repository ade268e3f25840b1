#pragma once
#include <stddef.h>

// Times that something took, in nanoseconds, for quantiles and a histogram.
typedef struct {
    long long *values;
    size_t count, room;
} Latencies;

Latencies latencies_new(size_t room);
// Beyond the room nothing more is kept.
void latencies_add(Latencies *latencies, long long nanoseconds);
// Prints `NAME_p50=…` and so on in nanoseconds, and how many took at most so many microseconds and more than half of that:
// `NAME_us_128=…`. Frees them.
void latencies_report(Latencies *latencies, const char *name);

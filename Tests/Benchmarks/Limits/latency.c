#include "latency.h"

#include <stdio.h>
#include <stdlib.h>

Latencies latencies_new(size_t room) { return (Latencies){.values = calloc(room ? room : 1, sizeof(long long)), .room = room}; }

void latencies_add(Latencies *latencies, long long nanoseconds) {
    if (latencies->count < latencies->room) latencies->values[latencies->count++] = nanoseconds;
}

static int ascending(const void *left, const void *right) {
    long long a = *(const long long *)left, b = *(const long long *)right;
    return (a > b) - (a < b);
}

static void histogram(const Latencies *latencies, const char *name) {
    size_t done = 0;
    for (long long most = 64; done < latencies->count; most *= 2) {
        size_t first = done;
        while (done < latencies->count && latencies->values[done] <= most * 1000) done++;
        if (done > first) printf("%s_us_%lld=%zu\n", name, most, done - first);
    }
}

void latencies_report(Latencies *latencies, const char *name) {
    const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 1};
    qsort(latencies->values, latencies->count, sizeof(long long), ascending);
    for (size_t i = 0; latencies->count && i < sizeof quantiles / sizeof *quantiles; i++) {
        size_t rank = (size_t)(quantiles[i] * (double)(latencies->count - 1));
        printf("%s_p%g=%lld\n", name, quantiles[i] * 100, latencies->values[rank]);
    }
    histogram(latencies, name);
    free(latencies->values);
}

#include "commands.h"

#include <stdio.h>

// A signal's last minute, as a wearer's sensors send it.
typedef struct {
    int count;
    float samples[60 * 250];
} Window;

static Window windows[3] = {{.count = 60 * 250}, {.count = 60 * 25}, {.count = 60 * 4}};

// The sum and the sum of squares, in double precision and in order.
static double measure(const Window *window) {
    double sum = 0, squares = 0;
    for (int i = 0; i < window->count; i++) {
        sum += window->samples[i];
        squares += (double)window->samples[i] * window->samples[i];
    }
    return squares / window->count - sum / window->count * (sum / window->count);
}

int run_windows(Options options) {
    long long updates = option_number(options, "updates", 20000);
    for (int signal = 0; signal < 3; signal++)
        for (int i = 0; i < windows[signal].count; i++) windows[signal].samples[i] = (float)(i * 7919 % 1000) / 1000;
    double variance = 0;
    long long start = processor_ns();
    for (long long update = 0; update < updates; update++)
        for (int signal = 0; signal < 3; signal++) {
            // Another sample each time, so that no pass can be left out.
            windows[signal].samples[update % windows[signal].count] = (float)variance;
            variance = measure(&windows[signal]);
        }
    printf("nanoseconds=%lld\nvariance=%.0f\n", processor_ns() - start, variance * 1e6);
    return 0;
}

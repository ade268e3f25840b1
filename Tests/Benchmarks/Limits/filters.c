#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A second-order section in transposed direct form II, as SecondOrderSection in Butterworth.swift.
typedef struct {
    double b0, b1, b2, a1, a2, s1, s2;
} Section;

typedef struct {
    Section first, second;
} BandPass;

enum { RATE = 250, SHORT = 35 / 2, LONG = 152 / 2, RING = 256 };

// scipy.signal.butter(2, [low, high], "bandpass", fs=250, output="sos"): 8 to 30 Hz, and 5 to 40 Hz.
static const BandPass qrs_band = {
    {0.05432786111292472, 0.10865572222584945, 0.05432786111292472, -1.2243386524958806, 0.5625304709632297, 0, 0},
    {1, -2, 1, -1.7678201742600035, 0.8149106254901748, 0, 0}};
static const BandPass shape_band = {
    {0.11735103672460916, 0.2347020734492183, 0.11735103672460916, -0.8071314388538936, 0.34797343307831946, 0, 0},
    {1, -2, 1, -1.8291984415883695, 0.846721328641201, 0, 0}};

static inline double step(Section *section, double x) {
    double y = section->b0 * x + section->s1;
    section->s1 = section->b1 * x - section->a1 * y + section->s2;
    section->s2 = section->b2 * x - section->a2 * y;
    return y;
}

static inline float pass(BandPass *band, float x) { return (float)step(&band->second, step(&band->first, x)); }

static inline double square(float x) { return (double)x * x; }

// Both band passes, the two running means of the energy and the long-term mean, for each sample; returns the samples within bursts.
static long filter(const float *samples, long count) {
    BandPass qrs = qrs_band, shape = shape_band;
    float band[RING] = {0}, kept[RING] = {0};
    double short_sum = 0, long_sum = 0, mean = 0;
    long bursts = 0;
    for (long i = 0; i < count; i++) {
        long centre = i - LONG;
        float filtered = pass(&qrs, samples[i]);
        kept[i % RING] = pass(&shape, samples[i]);
        long_sum += square(filtered) - square(band[(i - 2 * LONG - 1) & (RING - 1)]);
        band[i & (RING - 1)] = filtered;
        short_sum += square(band[(centre + SHORT) & (RING - 1)]) - square(band[(centre - SHORT - 1) & (RING - 1)]);
        mean += (square(band[centre & (RING - 1)]) - mean) / (100.0 * RATE);
        if (short_sum / (2 * SHORT + 1) > long_sum / (2 * LONG + 1) + 0.25 * mean) bursts++;
    }
    return bursts + (isnan(kept[0]) ? 1 : 0);
}

static long read_samples(const char *path, float **samples) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot read %s", path);
    long count = ftell(file) / (long)sizeof **samples;
    rewind(file);
    *samples = malloc((size_t)count * sizeof **samples);
    if (!*samples || fread(*samples, sizeof **samples, (size_t)count, file) != (size_t)count) fail("cannot read %s", path);
    fclose(file);
    return count;
}

int run_filters(Options options) {
    float *samples;
    long count = read_samples(option(options, "samples", "ecg.f32"), &samples), bursts = 0;
    long long rounds = option_number(options, "rounds", 60), start = processor_ns();
    for (long long round = 0; round < rounds; round++) bursts += filter(samples, count);
    printf("nanoseconds=%lld\nbursts=%ld\n", processor_ns() - start, bursts);
    free(samples);
    return 0;
}

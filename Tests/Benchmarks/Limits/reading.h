#pragma once
#include <stddef.h>
#include <stdint.h>

// Numbered readings: from its number follows everything of a reading, and from its identity its number, so that loss and
// duplication can be counted by identity. NumberedReadings.swift says the same in Swift.
typedef struct {
    long long base;   // seconds since 1970 of the first reading
    int participants; // at most 1000: bench-000, bench-001, …
    const char *name; // before the dash
} Series;

enum { METRICS = 4 };

typedef struct {
    int participant;
    int metric;
    long long time;  // microseconds since 1970
    double value;
} Reading;

Reading reading(Series series, long long number);
const char *metric_name(int metric);
const char *metric_unit(int metric);
// The participant's partition, 0 to 63.
int partition(Series series, int participant);

// Each writes a message for `count` readings from `number` on, and returns its length.
size_t write_batch(char *text, size_t room, Series series, long long number, int count);
// One reading as collectd takes it, `time:value`, with blanks up to the length of `write_batch`, so that as many bytes go through the broker.
size_t write_collectd(char *text, size_t room, Series series, long long number);
size_t write_device(char *text, size_t room, Series series, long long number, int count);
// A block of `count` samples of an electrocardiogram at 250 Hz, 75 beats a minute; blocks follow each other without a gap.
size_t write_block(char *text, size_t room, Series series, long long number, int count);
// The same as a device sends it.
size_t write_device_block(char *text, size_t room, Series series, long long number, int count);

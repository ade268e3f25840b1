#include "reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *names[METRICS] = {"heart-rate", "respiration-rate", "oxygen-saturation", "skin-temperature"};
static const char *units[METRICS] = {"/min", "/min", "%", "Cel"};
static const double lowest[METRICS] = {60, 12, 96, 30};
static const int steps[METRICS] = {40, 8, 4, 5};

const char *metric_name(int metric) { return names[metric]; }
const char *metric_unit(int metric) { return units[metric]; }

Reading reading(Series series, long long number) {
    long long row = number / series.participants;
    long long second = row / METRICS;
    Reading reading = {.participant = (int)(number % series.participants), .metric = (int)(row % METRICS)};
    reading.time = (series.base + second) * 1000000LL;
    reading.value = lowest[reading.metric] + (double)((number + second) % steps[reading.metric]);
    return reading;
}

int partition(Series series, int participant) {
    char name[64];
    snprintf(name, sizeof name, "%s-%03d", series.name, participant);
    uint64_t hash = 0xCBF29CE484222325u;
    for (const char *c = name; *c; c++) hash = (hash ^ (uint8_t)*c) * 0x100000001B3u;
    return (int)(hash % 64);
}

static size_t write_one(char *text, size_t room, Reading reading) {
    return (size_t)snprintf(
        text, room, "{\"metric\":\"%s\",\"time\":%lld.%06lld,\"value\":%.0f,\"unit\":\"%s\"}", names[reading.metric],
        reading.time / 1000000, reading.time % 1000000, reading.value, units[reading.metric]);
}

size_t write_batch(char *text, size_t room, Series series, long long number, int count) {
    size_t length = (size_t)snprintf(text, room, "{\"schema\":\"vigil/1\",\"batch\":\"%026lld\",\"groups\":[", number);
    for (int i = 0; i < count; i++) {
        Reading one = reading(series, number + i);
        length += (size_t)snprintf(
            text + length, room - length, "%s{\"participant\":\"%s-%03d\",\"source\":\"bench/1\",\"received\":%lld.5,\"observations\":[",
            i ? "," : "", series.name, one.participant, one.time / 1000000);
        length += write_one(text + length, room - length, one);
        length += (size_t)snprintf(text + length, room - length, "]}");
    }
    return length + (size_t)snprintf(text + length, room - length, "]}");
}

size_t write_collectd(char *text, size_t room, Series series, long long number) {
    size_t length = write_batch(text, room, series, number, 1);
    Reading one = reading(series, number);
    size_t written = (size_t)snprintf(text, room, "%lld.%06lld:%.0f", one.time / 1000000, one.time % 1000000, one.value);
    memset(text + written, ' ', length - written);
    return length;
}

size_t write_device(char *text, size_t room, Series series, long long number, int count) {
    if (count == 1) return write_one(text, room, reading(series, number));
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        text[length++] = i ? ',' : '[';
        // Every `participants` numbers the same participant comes again: one message holds one participant's readings.
        length += write_one(text + length, room - length, reading(series, number + (long long)i * series.participants));
    }
    text[length++] = ']';
    return length;
}

static const double period = 0.004;

static long long block_time(Series series, long long number, int count) {
    return series.base * 1000000LL + number / series.participants * (long long)lround(count * period * 1e6);
}

size_t write_device_block(char *text, size_t room, Series series, long long number, int count) {
    long long time = block_time(series, number, count), block = number / series.participants;
    size_t length = (size_t)snprintf(
        text, room, "{\"metric\":\"ecg\",\"time\":%lld.%06lld,\"period\":0.004,\"samples\":[", time / 1000000, time % 1000000);
    for (int i = 0; i < count; i++) {
        double phase = fmod((double)(block * count + i) * period, 0.8) / 0.8;
        double beat = exp(-pow((phase - 0.4) / 0.012, 2)) + 0.2 * exp(-pow((phase - 0.65) / 0.04, 2));
        length += (size_t)snprintf(text + length, room - length, "%s%.3f", i ? "," : "", beat + 0.01 * (double)((block + i) % 7));
    }
    return length + (size_t)snprintf(text + length, room - length, "],\"unit\":\"mV\"}");
}

size_t write_block(char *text, size_t room, Series series, long long number, int count) {
    long long time = block_time(series, number, count);
    size_t length = (size_t)snprintf(
        text, room,
        "{\"schema\":\"vigil/1\",\"batch\":\"%026lld\",\"groups\":[{\"participant\":\"%s-%03d\",\"source\":\"bench/1\","
        "\"received\":%lld.5,\"observations\":[",
        number, series.name, (int)(number % series.participants), time / 1000000);
    length += write_device_block(text + length, room - length, series, number, count);
    return length + (size_t)snprintf(text + length, room - length, "]}]}");
}

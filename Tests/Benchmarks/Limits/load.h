#pragma once
#include "options.h"
#include "reading.h"

#include <stdbool.h>

// What is to be published: which messages, in which order, how fast, and what is wrong with them. Follows from the options alone.
typedef struct {
    Series series;
    const char *format;
    long long first, count, window, rate, duplicates, poison, reorder;
    int per_message;
    uint64_t seed;
} Load;

Load load_from(Options options);
// The message that goes out in this place: its own number, but for those that change places with the participant's next one.
long long load_message(const Load *load, long long place);
bool load_repeats(const Load *load, long long message);
bool load_poisons(const Load *load, long long message);
// Writes topic and payload; returns the payload's length.
size_t load_write(const Load *load, long long message, char *topic, size_t topic_room, char *text, size_t room);

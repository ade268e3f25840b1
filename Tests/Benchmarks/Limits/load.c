#include "load.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

Load load_from(Options options) {
    return (Load){
        .series = {.base = option_number(options, "base", time(NULL) - 864000),
                   .participants = (int)option_number(options, "participants", 50),
                   .name = option(options, "name", "bench")},
        .format = option(options, "format", "batch"),
        .first = option_number(options, "first", 0),
        .count = option_number(options, "count", 1000),
        .window = option_number(options, "window", 1000),
        .rate = option_number(options, "rate", 0),
        .duplicates = option_number(options, "duplicates-permille", 0),
        .poison = option_number(options, "poison-permille", 0),
        .reorder = option_number(options, "reorder-permille", 0),
        .per_message = (int)option_number(options, "per-message", 1),
        .seed = mix((uint64_t)option_number(options, "seed", 1)),
    };
}

static bool chance(const Load *load, long long message, uint64_t salt, long long permille) {
    return permille && (long long)(mix(load->seed ^ salt ^ (uint64_t)message) % 1000) < permille;
}

bool load_poisons(const Load *load, long long message) { return chance(load, message, 1, load->poison); }

bool load_repeats(const Load *load, long long message) { return chance(load, message, 2, load->duplicates); }

long long load_message(const Load *load, long long place) {
    long long participants = load->series.participants, block = place / participants;
    long long pair = block / 2 * participants + place % participants;
    long long other = block % 2 ? place - participants : place + participants;
    return other < load->count && chance(load, pair, 3, load->reorder) ? other : place;
}

static bool is(const Load *load, const char *format) { return strcmp(load->format, format) == 0; }

// The number of a message's first reading. A device's message holds one participant's, every `participants` apart.
static long long first_number(const Load *load, long long message) {
    if (is(load, "block") || is(load, "device-block")) return load->first + message;
    if (!is(load, "device")) return load->first + message * load->per_message;
    long long participants = load->series.participants, block = message / participants;
    return load->first + block * participants * load->per_message + message % participants;
}

size_t load_write(const Load *load, long long message, char *topic, size_t topic_room, char *text, size_t room) {
    long long number = first_number(load, message);
    int participant = (int)(number % load->series.participants);
    if (is(load, "device") || is(load, "device-block")) {
        snprintf(topic, topic_room, "vigil/v1/ingest/%s-%03d/1", load->series.name, participant);
        return (is(load, "device") ? write_device : write_device_block)(text, room, load->series, number, load->per_message);
    }
    if (is(load, "collectd")) {
        snprintf(topic, topic_room, "bench/%s-%03d/vigil/gauge-%s", load->series.name, participant,
                 metric_name(reading(load->series, number).metric));
        return write_collectd(text, room, load->series, number);
    }
    bool isBlock = is(load, "block");
    snprintf(topic, topic_room, "vigil/v1/observations/%02x/%s", (unsigned)partition(load->series, participant), isBlock ? "waveforms" : "readings");
    return (isBlock ? write_block : write_batch)(text, room, load->series, number, load->per_message);
}

#include "commands.h"
#include "reading.h"

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDENTIFIERS = 65536, HISTORY = 1024 };

typedef struct {
    Series series;
    const char *format;
    long long first, count, window, rate, duplicates, poison, resend_seconds;
    int per_message;
    uint64_t seed;
} Load;

typedef struct {
    Load load;
    struct mosquitto *client;
    long long next, sent, acknowledged, start, reconnects;
    // When the message with an identifier was due: latency counts from there, so a stalled broker cannot hide the
    // messages that it kept from being sent.
    long long due[IDENTIFIERS];
    long long *latency, latencies;
    // Which message was next at each tenth of a second, so that a device can send its last seconds again.
    long long history[HISTORY], noted;
    bool connected;
} Publication;

static void connected(struct mosquitto *client, void *context, int code) {
    (void)client;
    ((Publication *)context)->connected = code == 0;
}

static void disconnected(struct mosquitto *client, void *context, int code) {
    (void)client, (void)code;
    ((Publication *)context)->connected = false;
}

static void acknowledged(struct mosquitto *client, void *context, int id) {
    (void)client;
    Publication *publication = context;
    publication->acknowledged++;
    if (publication->latencies < publication->load.count && publication->due[id])
        publication->latency[publication->latencies++] = now_ns() - publication->due[id];
    publication->due[id] = 0;
}

static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

static bool chance(const Load *load, long long message, uint64_t salt, long long permille) {
    return permille && (long long)(mix(load->seed ^ salt ^ (uint64_t)message) % 1000) < permille;
}

// The number of a message's first reading. A device's message holds one participant's, every `participants` apart.
static long long first_number(const Load *load, long long message) {
    if (strcmp(load->format, "batch") == 0) return load->first + message * load->per_message;
    if (strcmp(load->format, "device") != 0) return load->first + message;
    long long participants = load->series.participants, block = message / participants;
    return load->first + block * participants * load->per_message + message % participants;
}

static int publish(Publication *publication, long long message, long long due) {
    static char topic[96], text[1 << 20];
    const Load *load = &publication->load;
    long long number = first_number(load, message);
    int participant = (int)(number % load->series.participants);
    size_t length;
    if (strncmp(load->format, "device", 6) == 0) {
        snprintf(topic, sizeof topic, "vigil/v1/ingest/bench-%03d/1", participant);
        bool is_block = strcmp(load->format, "device-block") == 0;
        length = (is_block ? write_device_block : write_device)(text, sizeof text, load->series, number, load->per_message);
    } else if (strcmp(load->format, "block") == 0) {
        snprintf(topic, sizeof topic, "vigil/v1/observations/%02x/waveforms", (unsigned)partition(participant));
        length = write_block(text, sizeof text, load->series, number, load->per_message);
    } else {
        snprintf(topic, sizeof topic, "vigil/v1/observations/%02x/readings", (unsigned)partition(participant));
        length = write_batch(text, sizeof text, load->series, number, load->per_message);
    }
    if (chance(load, message, 1, load->poison)) {
        int code = mosquitto_publish(publication->client, NULL, topic, (int)length / 2, text, 1, false);
        if (code) return code;
        publication->sent++;
    }
    int copies = chance(load, message, 2, load->duplicates) ? 2 : 1;
    for (int i = 0; i < copies; i++) {
        int id = 0;
        int code = mosquitto_publish(publication->client, &id, topic, (int)length, text, 1, false);
        if (code) return code;
        publication->due[id] = due;
        publication->sent++;
    }
    return MOSQ_ERR_SUCCESS;
}

static void note(Publication *publication) {
    long long tenth = (now_ns() - publication->start) / 100000000;
    for (; publication->noted <= tenth; publication->noted++) publication->history[publication->noted % HISTORY] = publication->next;
}

// A killed broker forgets what it acknowledged and had not saved: a device that keeps its last seconds sends them again.
static void rewind_spool(Publication *publication) {
    long long tenth = publication->noted - publication->load.resend_seconds * 10;
    if (publication->load.resend_seconds && publication->noted) publication->next = tenth < 0 ? 0 : publication->history[tenth % HISTORY];
}

static void reconnect(Publication *publication) {
    struct timespec pause = {.tv_nsec = 50000000};
    rewind_spool(publication);
    publication->connected = false;
    publication->reconnects++;
    while (mosquitto_reconnect(publication->client)) nanosleep(&pause, NULL);
}

// Sends what the window and the schedule allow; gives how many milliseconds there is nothing to send.
static int send_due(Publication *publication) {
    const Load *load = &publication->load;
    while (publication->connected && publication->next < load->count && publication->sent - publication->acknowledged < load->window) {
        long long due = now_ns();
        if (load->rate) {
            long long planned = publication->start + publication->next * 1000000000LL / load->rate;
            if (planned > due) return (int)((planned - due) / 1000000);
            due = planned;
        }
        if (publish(publication, publication->next, due)) return 0;
        publication->next++;
    }
    return 1000;
}

static int ascending(const void *left, const void *right) {
    long long a = *(const long long *)left, b = *(const long long *)right;
    return (a > b) - (a < b);
}

static void report(Publication *publication) {
    printf("start=%lld\nend=%lld\nsent=%lld\nacknowledged=%lld\nreconnects=%lld\n", publication->start, now_ns(), publication->sent,
           publication->acknowledged, publication->reconnects);
    if (!publication->latencies) return;
    qsort(publication->latency, (size_t)publication->latencies, sizeof(long long), ascending);
    const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 1};
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        long long rank = (long long)(quantiles[i] * (double)(publication->latencies - 1));
        printf("acknowledgement_p%g=%lld\n", quantiles[i] * 100, publication->latency[rank]);
    }
}

static Load load(Options options) {
    return (Load){
        .series = {.base = option_number(options, "base", time(NULL) - 864000), .participants = (int)option_number(options, "participants", 50)},
        .format = option(options, "format", "batch"),
        .first = option_number(options, "first", 0),
        .count = option_number(options, "count", 1000),
        .window = option_number(options, "window", 1000),
        .rate = option_number(options, "rate", 0),
        .duplicates = option_number(options, "duplicates-permille", 0),
        .poison = option_number(options, "poison-permille", 0),
        .resend_seconds = option_number(options, "resend-seconds", 0),
        .per_message = (int)option_number(options, "per-message", 1),
        .seed = mix((uint64_t)option_number(options, "seed", 1)),
    };
}

int run_publish(Options options) {
    Publication *publication = calloc(1, sizeof *publication);
    publication->load = load(options);
    publication->latency = calloc((size_t)publication->load.count, sizeof(long long));
    mosquitto_lib_init();
    struct mosquitto *client = publication->client = mosquitto_new(option(options, "client-id", "limit-publisher"), true, publication);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    // Room for what a duplicate or a poison message adds to the window.
    mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, (int)publication->load.window + 4);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, connected);
    mosquitto_disconnect_callback_set(client, disconnected);
    mosquitto_publish_callback_set(client, acknowledged);
    int code = mosquitto_connect(client, option(options, "host", "127.0.0.1"), (int)option_number(options, "port", 1883), 60);
    if (code) fail("publisher: %s", mosquitto_strerror(code));
    while (!publication->connected)
        if ((code = mosquitto_loop(client, 1000, 1))) fail("publisher: %s", mosquitto_strerror(code));
    publication->start = now_ns();
    while (publication->next < publication->load.count || publication->acknowledged < publication->sent) {
        int idle = send_due(publication);
        note(publication);
        if (mosquitto_loop(client, idle, 100)) reconnect(publication);
    }
    report(publication);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    free(publication->latency);
    free(publication);
    return 0;
}

// ppoll is an extension.
#define _GNU_SOURCE
#include "commands.h"
#include "latency.h"
#include "load.h"
#include "spool.h"

#include <mqtt_protocol.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { IDENTIFIERS = 65536 };
static const long long SECOND = 1000000000LL;

typedef struct {
    Load load;
    struct mosquitto *client;
    long long next, sent, acknowledged, start, reconnects, looked;
    // When the message with an identifier was due: latency counts from there, so a stalled broker cannot hide the
    // messages that it kept from being sent.
    long long due[IDENTIFIERS];
    Latencies acknowledgements, receipts;
    // Where receipts are asked for: when each message was first due.
    long long *first_due;
    Spool spool;
    bool connected, wants_receipts;
} Publication;

static void connected(struct mosquitto *client, void *context, int code) {
    Publication *publication = context;
    publication->connected = code == 0;
    if (publication->wants_receipts) mosquitto_subscribe(client, NULL, publication->spool.topic, 1);
}

static void disconnected(struct mosquitto *client, void *context, int code) {
    (void)client, (void)code;
    ((Publication *)context)->connected = false;
}

static void acknowledged(struct mosquitto *client, void *context, int id) {
    (void)client;
    Publication *publication = context;
    publication->acknowledged++;
    if (publication->due[id]) latencies_add(&publication->acknowledgements, now_ns() - publication->due[id]);
    publication->due[id] = 0;
}

static void received(struct mosquitto *client, void *context, const struct mosquitto_message *message, const mosquitto_property *properties) {
    (void)client;
    Publication *publication = context;
    long long number = spool_take(&publication->spool, message, properties);
    if (number >= 0) latencies_add(&publication->receipts, now_ns() - publication->first_due[number]);
}

static int send_message(Publication *publication, long long message, long long due) {
    static char topic[96], text[1 << 20];
    const Load *load = &publication->load;
    size_t length = load_write(load, message, topic, sizeof topic, text, sizeof text);
    int copies = load_repeats(load, message) ? 2 : 1;
    for (int i = load_poisons(load, message) ? -1 : 0; i < copies; i++) {
        int id = 0;
        mosquitto_property *properties = i >= 0 && publication->wants_receipts ? spool_request(&publication->spool, message) : NULL;
        // The copy before the first is broken off in its middle.
        int code = mosquitto_publish_v5(publication->client, &id, topic, (int)(i < 0 ? length / 2 : length), text, 1, false, properties);
        mosquitto_property_free_all(&properties);
        if (code) return code;
        publication->due[id] = i < 0 ? 0 : due;
        publication->sent++;
    }
    return MOSQ_ERR_SUCCESS;
}

static void reconnect(Publication *publication) {
    struct timespec pause = {.tv_nsec = 50000000};
    publication->connected = false;
    publication->reconnects++;
    while (mosquitto_reconnect(publication->client)) nanosleep(&pause, NULL);
}

static bool has_room(const Publication *publication) {
    return publication->connected && publication->sent - publication->acknowledged < publication->load.window;
}

// Sends what the window and the schedule allow; gives how many nanoseconds there is nothing to send.
static long long send_due(Publication *publication) {
    const Load *load = &publication->load;
    while (publication->next < load->count && has_room(publication)) {
        long long due = now_ns(), message = load_message(load, publication->next);
        if (load->rate) {
            long long planned = publication->start + publication->next * SECOND / load->rate;
            if (planned > due) return planned - due;
            due = planned;
        }
        if (send_message(publication, message, due)) return 0;
        if (publication->wants_receipts) publication->spool.sent[message] = now_ns(), publication->first_due[message] = due;
        publication->next++;
    }
    return SECOND;
}

// Sleeps until there is something to read, to write or to send. mosquitto_loop waits in whole milliseconds: between messages that are due
// more often than that it would turn round without a pause, and take a processor from what is measured.
static void wait_for_work(struct mosquitto *client, long long idle) {
    struct pollfd socket = {.fd = mosquitto_socket(client), .events = POLLIN | (mosquitto_want_write(client) ? POLLOUT : 0)};
    ppoll(&socket, 1, &(struct timespec){.tv_sec = idle / SECOND, .tv_nsec = idle % SECOND}, NULL);
}

// Ten times a second: sends again what has waited too long for its receipt.
static void send_overdue(Publication *publication) {
    Spool *spool = &publication->spool;
    long long now = now_ns(), message = -1;
    if (now - publication->looked < 100000000) return;
    publication->looked = now;
    while (has_room(publication) && (message = spool_overdue(spool, message + 1, now)) >= 0) {
        if (send_message(publication, message, 0)) return;
        spool->sent[message] = now;
        spool->repeats++;
    }
}

static bool is_finished(const Publication *publication) {
    if (publication->next < publication->load.count || publication->acknowledged < publication->sent) return false;
    return !publication->wants_receipts || publication->spool.done == publication->load.count;
}

static void report(Publication *publication) {
    printf("start=%lld\nend=%lld\nsent=%lld\nacknowledged=%lld\nreconnects=%lld\n", publication->start, now_ns(), publication->sent,
           publication->acknowledged, publication->reconnects);
    latencies_report(&publication->acknowledgements, "acknowledgement");
    if (!publication->wants_receipts) return;
    printf("confirmed=%lld\nrefused=%lld\nrepeats=%lld\n", publication->spool.done, publication->spool.refused, publication->spool.repeats);
    latencies_report(&publication->receipts, "receipt");
}

static const char *client_id(Options options) { return option(options, "client-id", "limit-publisher"); }

static Publication *publication_new(Options options) {
    Publication *publication = calloc(1, sizeof *publication);
    publication->load = load_from(options);
    publication->wants_receipts = option_number(options, "receipts", 0) != 0;
    size_t count = (size_t)publication->load.count;
    publication->acknowledgements = latencies_new(count);
    publication->receipts = latencies_new(publication->wants_receipts ? count : 0);
    publication->first_due = calloc(count + 1, sizeof(long long));
    publication->spool = spool_new(publication->load.count, client_id(options));
    return publication;
}

static struct mosquitto *client_new(Publication *publication, Options options) {
    struct mosquitto *client = mosquitto_new(client_id(options), true, publication);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    // Room for what a duplicate or a poison message adds to the window.
    mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, (int)publication->load.window + 4);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, connected);
    mosquitto_disconnect_callback_set(client, disconnected);
    mosquitto_publish_callback_set(client, acknowledged);
    mosquitto_message_v5_callback_set(client, received);
    int code = mosquitto_connect(client, option(options, "host", "127.0.0.1"), (int)option_number(options, "port", 1883), 60);
    while (!code && !publication->connected) code = mosquitto_loop(client, 1000, 1);
    if (code) fail("publisher: %s", mosquitto_strerror(code));
    return client;
}

int run_publish(Options options) {
    Publication *publication = publication_new(options);
    mosquitto_lib_init();
    struct mosquitto *client = publication->client = client_new(publication, options);
    publication->start = now_ns();
    while (!is_finished(publication)) {
        long long idle = send_due(publication);
        if (publication->wants_receipts) {
            send_overdue(publication);
            if (idle > SECOND / 10) idle = SECOND / 10;
        }
        if (publication->load.rate) wait_for_work(client, idle);
        if (mosquitto_loop(client, publication->load.rate ? 0 : (int)(idle / 1000000), 100)) reconnect(publication);
    }
    report(publication);
    mosquitto_disconnect(client);
    mosquitto_destroy(client);
    spool_free(&publication->spool);
    free(publication->first_due);
    free(publication);
    return 0;
}

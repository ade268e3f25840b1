#include "commands.h"

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *filter;
    long long wanted, received, start, pause;
} Reception;

static void connected(struct mosquitto *client, void *context, int code) {
    if (code) fail("not connected: %s", mosquitto_connack_string(code));
    mosquitto_subscribe(client, NULL, ((Reception *)context)->filter, 1);
}

static void subscribed(struct mosquitto *client, void *context, int id, int count, const int *granted) {
    (void)client, (void)context, (void)id, (void)count, (void)granted;
    printf("ready=1\n");
    fflush(stdout);
}

static void received(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)message;
    Reception *reception = context;
    if (reception->received++ == 0) reception->start = now_ns();
    if (reception->pause) nanosleep(&(struct timespec){.tv_nsec = reception->pause * 1000}, NULL);
}

int run_subscribe(Options options) {
    Reception reception = {
        .filter = option(options, "filter", "vigil/v1/observations/+/readings"),
        .wanted = option_number(options, "count", 1),
        .pause = option_number(options, "pause-us", 0), // after each message: a slow subscriber
    };
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(option(options, "client-id", "limit-subscriber"), true, &reception);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, 4000);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, connected);
    mosquitto_subscribe_callback_set(client, subscribed);
    mosquitto_message_callback_set(client, received);
    int code = mosquitto_connect(client, option(options, "host", "127.0.0.1"), (int)option_number(options, "port", 1883), 60);
    while (!code && reception.received < reception.wanted) {
        code = mosquitto_loop(client, 1000, 100);
        // A slow one comes back whenever it is thrown out; a limit that loses its connection is none.
        while (code && reception.pause) code = nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL) || mosquitto_reconnect(client);
    }
    if (code) fail("subscriber: %s", mosquitto_strerror(code));
    printf("start=%lld\nend=%lld\nreceived=%lld\n", reception.start, now_ns(), reception.received);
    mosquitto_destroy(client);
    return 0;
}

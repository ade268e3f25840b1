// memmem is an extension.
#define _GNU_SOURCE
#include "spool.h"
#include "options.h"

#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long long patience = 8000000000LL;

Spool spool_new(long long count, const char *client) {
    Spool spool = {.confirmed = calloc((size_t)count + 1, sizeof(bool)), .sent = calloc((size_t)count + 1, sizeof(long long)), .count = count};
    snprintf(spool.topic, sizeof spool.topic, "vigil/v1/responses/%s/1", client);
    return spool;
}

mosquitto_property *spool_request(const Spool *spool, long long message) {
    mosquitto_property *properties = NULL;
    char text[24];
    int length = snprintf(text, sizeof text, "%lld", message);
    if (mosquitto_property_add_string(&properties, MQTT_PROP_RESPONSE_TOPIC, spool->topic) ||
        mosquitto_property_add_binary(&properties, MQTT_PROP_CORRELATION_DATA, text, (uint16_t)length))
        fail("publisher: no memory");
    return properties;
}

long long spool_take(Spool *spool, const struct mosquitto_message *receipt, const mosquitto_property *properties) {
    void *data = NULL;
    uint16_t length = 0;
    char text[24] = "";
    if (!mosquitto_property_read_binary(properties, MQTT_PROP_CORRELATION_DATA, &data, &length, false)) return -1;
    memcpy(text, data, length < sizeof text ? length : sizeof text - 1);
    free(data);
    char *end;
    long long message = strtoll(text, &end, 10);
    if (*end || end == text || message < 0 || message >= spool->count || spool->confirmed[message]) return -1;
    static const char good[] = "\"outcome\":\"stored\"";
    spool->refused += memmem(receipt->payload, (size_t)receipt->payloadlen, good, sizeof good - 1) == NULL;
    spool->confirmed[message] = true;
    spool->done++;
    return message;
}

long long spool_overdue(const Spool *spool, long long message, long long now) {
    for (; message < spool->count; message++)
        if (!spool->confirmed[message] && spool->sent[message] && now - spool->sent[message] > patience) return message;
    return -1;
}

void spool_free(Spool *spool) {
    free(spool->confirmed);
    free(spool->sent);
}

#pragma once
#include <mosquitto.h>
#include <stdbool.h>

// What has been sent and not been confirmed by a receipt: a device that wants to lose nothing sends it again. The reference is
// `vigil publish --spool`; this one keeps its messages in the load's numbers.
typedef struct {
    bool *confirmed;
    // When each was last sent; 0: not yet.
    long long *sent;
    long long count, done, refused, repeats;
    // Where receipts are sent.
    char topic[96];
} Spool;

Spool spool_new(long long count, const char *client);
// The properties that ask for a receipt of a message; to be freed with mosquitto_property_free_all.
mosquitto_property *spool_request(const Spool *spool, long long message);
// Takes a receipt; a refusal is counted, and final. Gives the message that it is for, -1 for one that was confirmed before.
long long spool_take(Spool *spool, const struct mosquitto_message *receipt, const mosquitto_property *properties);
// The first message from `message` on that was sent and has waited too long for its receipt; -1: none.
long long spool_overdue(const Spool *spool, long long message, long long now);
void spool_free(Spool *spool);

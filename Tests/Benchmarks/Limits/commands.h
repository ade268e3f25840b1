#pragma once
#include "options.h"

// Each runs one program of the benchmark and prints `name=value` lines; times are nanoseconds of CLOCK_MONOTONIC.

// Publishes numbered messages at QoS 1: as fast as a window of unacknowledged ones allows, or at a given rate.
int run_publish(Options options);
// Receives a number of messages at QoS 1 and does nothing with them: with `publish`, the most that MQTT can do here.
int run_subscribe(Options options);
// Copies rows into a table like the store's by binary COPY.
int run_copy(Options options);
// Inserts rows into a table like the store's by a prepared statement.
int run_sqlite(Options options);

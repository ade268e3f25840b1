#pragma once
#include "options.h"

// Each runs one program of the benchmark and prints `name=value` lines; times are nanoseconds of CLOCK_MONOTONIC, `nanoseconds` those of processor time.

// Publishes numbered messages at QoS 1: as fast as a window of unacknowledged ones allows, or at a given rate.
int run_publish(Options options);
// Receives a number of messages at QoS 1 and does nothing with them: with `publish`, the most that MQTT can do here.
int run_subscribe(Options options);
// Copies rows into a table like the store's by binary COPY.
int run_copy(Options options);
// Inserts rows into a table like the store's by a prepared statement.
int run_sqlite(Options options);
// Runs the R peak detector's filters and running means over raw samples at 250 Hz, and finds no beats.
int run_filters(Options options);
// Goes once over the last minute of a wearer's three signals, for each stress update.
int run_windows(Options options);
// Compares readings with a table of levels: hysteresis and delays, but no names, no texts and no events.
int run_rules(Options options);
// Inserts a person's readings into SQLite and summarizes each day by one query.
int run_summary(Options options);

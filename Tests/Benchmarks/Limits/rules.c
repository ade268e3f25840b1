#include "commands.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTICIPANTS = 10000, METRICS = 5, LIMITS = 8, LEVELS = 2 * LIMITS };

// A level of a limit, with its delays in microseconds: as the rules in AlertLoad (Publication.swift).
typedef struct {
    int metric;
    double above, clear;
    int64_t wait, keep;
} Level;

typedef struct {
    int64_t since;
    int active;
} State;

typedef struct {
    State levels[LEVELS];
    State both;
    double last[METRICS];
    int64_t heard;
} Person;

static Level levels[LEVELS];

static void make_levels(void) {
    for (int limit = 0; limit < LIMITS; limit++) {
        levels[2 * limit] = (Level){limit % 4, 90, 85, 10000000, 5000000};
        levels[2 * limit + 1] = (Level){limit % 4, 97, 95, 2000000, 5000000};
    }
}

// Whether the condition has held, or has ceased to hold, for long enough to change the state.
static inline int judge(State *state, int holds, int clears, int64_t time, int64_t wait, int64_t keep) {
    int wants = state->active ? !clears : holds;
    if (wants == state->active) return state->since = 0, 0;
    if (!state->since) state->since = time;
    if (time - state->since < (state->active ? keep : wait)) return 0;
    *state = (State){0, wants};
    return 1;
}

static long take(Person *person, int metric, double value, int64_t time) {
    long events = 0;
    person->last[metric] = value;
    if (metric == 4) person->heard = time;
    for (int i = 0; i < LEVELS; i++)
        if (levels[i].metric == metric)
            events += judge(&person->levels[i], value > levels[i].above, value < levels[i].clear, time, levels[i].wait, levels[i].keep);
    if (metric == 0 || metric == 4) {
        int holds = person->last[0] > 90 && person->last[4] > 90;
        events += judge(&person->both, holds, !holds, time, 0, 0);
    }
    return events;
}

int run_rules(Options options) {
    make_levels();
    Person *people = calloc(PARTICIPANTS, sizeof *people);
    if (!people) fail("no memory for %d participants", PARTICIPANTS);
    long long rounds = option_number(options, "rounds", 100), events = 0, start = processor_ns();
    int64_t time = 1700000000000000;
    for (long long round = 0; round < rounds; round++) {
        time += 1000000;
        for (int place = 0; place < PARTICIPANTS; place++)
            for (int metric = 0; metric < METRICS; metric++)
                events += take(&people[place], metric, (place * 7919LL + metric * 104729LL + time / 4000000 * 31) % 100, time);
        for (int place = 0; place < PARTICIPANTS; place++) events += time - people[place].heard > 300000000;
    }
    printf("nanoseconds=%lld\nreadings=%lld\nevents=%lld\n", processor_ns() - start, rounds * PARTICIPANTS * METRICS, events);
    free(people);
    return 0;
}

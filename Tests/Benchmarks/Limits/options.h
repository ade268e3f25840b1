#pragma once
#include <stdbool.h>

// The command line's `--name value` pairs.
typedef struct {
    int count;
    char **words;
} Options;

// The value of `--name`, or the default.
const char *option(Options options, const char *name, const char *otherwise);

// The same as a number; ends the program in words where it is none.
long long option_number(Options options, const char *name, long long otherwise);

// Ends the program with a line that says why.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share.
long long now_ns(void);

// Nanoseconds of processor time that this thread has used.
long long processor_ns(void);

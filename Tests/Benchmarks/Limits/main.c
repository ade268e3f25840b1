// The limits that Vigil is measured against, written as plainly as C allows: one program, a subcommand each.
#include "commands.h"

#include <string.h>

int main(int count, char **words) {
    const struct {
        const char *name;
        int (*run)(Options);
    } commands[] = {{"publish", run_publish}, {"subscribe", run_subscribe}, {"copy", run_copy}, {"sqlite", run_sqlite},
                    {"filters", run_filters}, {"windows", run_windows}, {"rules", run_rules},     {"summary", run_summary}};
    if (count < 2) fail("usage: vigil-limits publish|subscribe|copy|sqlite|filters|windows|rules|summary --NAME VALUE…");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(words[1], commands[i].name) == 0) return commands[i].run((Options){count - 2, words + 2});
    fail("no command %s", words[1]);
}

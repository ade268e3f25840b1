#include "commands.h"
#include "reading.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

static sqlite3 *database;

static void run(const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &message)) fail("sqlite: %s", message);
}

int run_sqlite(Options options) {
    Series series = {.base = option_number(options, "base", time(NULL) - 864000), .participants = (int)option_number(options, "participants", 50)};
    long long first = option_number(options, "first", 0), count = option_number(options, "count", 100000);
    long long batch = option_number(options, "batch", 1000);
    if (sqlite3_open(option(options, "path", "limit.sqlite"), &database)) fail("sqlite: %s", sqlite3_errmsg(database));
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = FULL");
    run("CREATE TABLE IF NOT EXISTS reading (time INTEGER NOT NULL, participant INTEGER NOT NULL, metric INTEGER NOT NULL,"
        " source INTEGER NOT NULL, seq INTEGER NOT NULL, value REAL, text TEXT, received INTEGER NOT NULL, session INTEGER,"
        " origin INTEGER, zone INTEGER, PRIMARY KEY (time, participant, metric, source, seq)) WITHOUT ROWID;"
        "CREATE INDEX IF NOT EXISTS reading_text ON reading (participant, metric, time) WHERE text IS NOT NULL");
    sqlite3_stmt *insert;
    if (sqlite3_prepare_v2(database, "INSERT INTO reading VALUES (?1, ?2, ?3, 1, 0, ?4, NULL, ?5, NULL, NULL, NULL)", -1, &insert, NULL))
        fail("sqlite: %s", sqlite3_errmsg(database));
    long long start = now_ns();
    for (long long done = 0; done < count; done += batch) {
        run("BEGIN IMMEDIATE");
        for (long long i = done; i < done + batch && i < count; i++) {
            Reading one = reading(series, first + i);
            sqlite3_bind_int64(insert, 1, one.time);
            sqlite3_bind_int(insert, 2, one.participant);
            sqlite3_bind_int(insert, 3, one.metric);
            sqlite3_bind_double(insert, 4, one.value);
            sqlite3_bind_int64(insert, 5, one.time + 500000);
            if (sqlite3_step(insert) != SQLITE_DONE) fail("sqlite: %s", sqlite3_errmsg(database));
            sqlite3_reset(insert);
        }
        run("COMMIT");
    }
    printf("start=%lld\nend=%lld\n", start, now_ns());
    sqlite3_finalize(insert);
    sqlite3_close(database);
    return 0;
}

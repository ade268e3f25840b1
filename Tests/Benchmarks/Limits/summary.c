#include "commands.h"

#include <sqlite3.h>
#include <stdio.h>

enum { DAYS = 3652 };

static sqlite3 *database;
static const char *insert_row = "INSERT OR REPLACE INTO reading VALUES (?1, ?2, ?3)";

static sqlite3_stmt *prepared(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) fail("sqlite: %s", sqlite3_errmsg(database));
    return statement;
}

static void run(const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &message)) fail("sqlite: %s", message);
}

static void add(sqlite3_stmt *insert, int metric, long long time, double value) {
    sqlite3_bind_int(insert, 1, metric);
    sqlite3_bind_int64(insert, 2, time);
    sqlite3_bind_double(insert, 3, value);
    if (sqlite3_step(insert) != SQLITE_DONE) fail("sqlite: %s", sqlite3_errmsg(database));
    sqlite3_reset(insert);
}

// Number, mean and extremes of each day: of all metrics, or of one.
static void summarize(sqlite3_stmt *days) {
    while (sqlite3_step(days) == SQLITE_ROW) {}
    sqlite3_reset(days);
}

// The mean time of adding one row of a metric and summarizing its days.
static long long live(sqlite3_stmt *insert, long long base) {
    enum { TIMES = 50 };
    sqlite3_stmt *days = prepared("SELECT time / 86400, count(*), avg(value), min(value), max(value) FROM reading WHERE metric = 0 GROUP BY 1");
    long long start = processor_ns();
    for (int i = 0; i < TIMES; i++) {
        add(insert, 0, base + i, 80);
        summarize(days);
    }
    long long spent = processor_ns() - start;
    sqlite3_finalize(days);
    return spent / TIMES;
}

int run_summary(Options options) {
    long long count = option_number(options, "count", 170000), metrics = option_number(options, "metrics", 11), base = 1795348800;
    if (sqlite3_open(option(options, "path", "summary.sqlite"), &database)) fail("sqlite: %s", sqlite3_errmsg(database));
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE reading (metric INTEGER, time INTEGER, value REAL, PRIMARY KEY (metric, time)) WITHOUT ROWID");
    sqlite3_stmt *insert = prepared(insert_row);
    sqlite3_stmt *days = prepared("SELECT metric, time / 86400, count(*), avg(value), min(value), max(value) FROM reading GROUP BY 1, 2");
    long long start = processor_ns();
    for (int metric = 0; metric < metrics; metric++) {
        // The first has one reading a day, as a weight; the others share the rest. Evenly over ten years, the newest first, as the load has them.
        long long each = metric ? (count - DAYS) / (metrics - 1) : DAYS;
        run("BEGIN IMMEDIATE");
        for (long long i = 0; i < each; i++) add(insert, metric, base - (i + 1) * (DAYS * 86400LL / each), 80 + (double)(i * 7919 % 40));
        run("COMMIT");
    }
    summarize(days);
    printf("nanoseconds=%lld\n", processor_ns() - start);
    printf("live=%lld\n", live(insert, base));
    sqlite3_finalize(insert);
    sqlite3_finalize(days);
    sqlite3_close(database);
    return 0;
}

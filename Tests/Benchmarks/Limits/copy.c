#include "commands.h"
#include "reading.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Microseconds from 1970 to 2000, where PostgreSQL's time begins.
static const long long epoch = 946684800000000LL;
enum { COLUMNS = 11, ROW = 2 + COLUMNS * 4 + 8 + 4 * 4 + 8 + 8 };

static char *put(char *at, unsigned long long value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--) *at++ = (char)(value >> (8 * i));
    return at;
}

static char *put_field(char *at, unsigned long long value, int bytes) { return put(put(at, (unsigned)bytes, 4), value, bytes); }

static char *put_null(char *at) { return put(at, 0xFFFFFFFFu, 4); }

static char *put_row(char *at, Reading one) {
    unsigned long long bits;
    memcpy(&bits, &one.value, sizeof bits);
    at = put(at, COLUMNS, 2);
    at = put_field(at, (unsigned long long)(one.time - epoch), 8);
    at = put_field(at, (unsigned)one.participant + 1, 4);
    at = put_field(at, (unsigned)one.metric + 1, 4);
    at = put_field(at, 1, 4);
    at = put_field(at, 0, 4);
    at = put_field(at, bits, 8);
    at = put_null(at);
    at = put_field(at, (unsigned long long)(one.time + 500000 - epoch), 8);
    return put_null(put_null(put_null(at)));
}

static void run(PGconn *connection, const char *sql, ExecStatusType wanted) {
    PGresult *result = PQexec(connection, sql);
    if (PQresultStatus(result) != wanted) fail("copy: %s", PQerrorMessage(connection));
    PQclear(result);
}

int run_copy(Options options) {
    static const char header[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
    Series series = {.base = option_number(options, "base", time(NULL) - 864000), .participants = (int)option_number(options, "participants", 50)};
    long long first = option_number(options, "first", 0), count = option_number(options, "count", 100000);
    long long batch = option_number(options, "batch", 10000);
    PGconn *connection = PQconnectdb(option(options, "database", ""));
    if (PQstatus(connection) != CONNECTION_OK) fail("copy: %s", PQerrorMessage(connection));
    char copy[128];
    snprintf(copy, sizeof copy, "COPY %s FROM STDIN (FORMAT binary)", option(options, "table", "limit_reading"));
    char *buffer = malloc((size_t)batch * (ROW + 8) + sizeof header);
    long long start = now_ns();
    for (long long done = 0; done < count; done += batch) {
        run(connection, copy, PGRES_COPY_IN);
        memcpy(buffer, header, sizeof header - 1);
        char *at = buffer + sizeof header - 1;
        for (long long i = done; i < done + batch && i < count; i++) at = put_row(at, reading(series, first + i));
        if (PQputCopyData(connection, buffer, (int)(at - buffer)) != 1 || PQputCopyEnd(connection, NULL) != 1)
            fail("copy: %s", PQerrorMessage(connection));
        PGresult *result = PQgetResult(connection);
        if (PQresultStatus(result) != PGRES_COMMAND_OK) fail("copy: %s", PQerrorMessage(connection));
        PQclear(result);
        PQclear(PQgetResult(connection));
    }
    printf("start=%lld\nend=%lld\n", start, now_ns());
    free(buffer);
    PQfinish(connection);
    return 0;
}

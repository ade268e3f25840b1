#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast that Swift cannot import: SQLite copies what is bound. An empty Swift string has no
/// address, which SQLite would take for NULL.
static inline int vigil_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text ? text : "", length, SQLITE_TRANSIENT);
}

static inline int vigil_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// `sqlite3_config` takes variable arguments. Has an effect only before the first connection of the process.
static inline int vigil_sqlite3_forgo_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

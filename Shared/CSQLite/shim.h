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

/// A virtual table and a cursor over it, each with what the program keeps of it.
typedef struct { sqlite3_vtab base; void *module; } vigil_vtab;
typedef struct { sqlite3_vtab_cursor base; void *cursor; } vigil_vtab_cursor;

/// `sqlite3_mprintf` takes variable arguments.
static inline char *vigil_sqlite3_copy(const char *text) { return sqlite3_mprintf("%s", text); }

static inline void vigil_sqlite3_result_text(sqlite3_context *context, const char *text, int length) {
    sqlite3_result_text(context, text ? text : "", length, SQLITE_TRANSIENT);
}

static inline void vigil_sqlite3_result_blob(sqlite3_context *context, const void *bytes, int length) {
    sqlite3_result_blob(context, bytes, length, SQLITE_TRANSIENT);
}

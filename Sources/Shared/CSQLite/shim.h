#pragma once
#include <sqlite3.h>

// What Swift cannot call: functions with variable arguments, and constants that are casts.

/// Leaves the write-ahead log as it is when the last connection closes.
static inline int csqlite_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Binds a copy of the text.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

// sqlite3_db_config() and sqlite3_config() are variadic, which Swift cannot call.
static inline int garner_sqlite_configure(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

static inline int garner_sqlite_configure_all(int option, int value) {
    return sqlite3_config(option, value);
}

// Swift compares collections element by element.
static inline bool garner_same_bytes(const void *bytes, const void *other, size_t count) {
    return memcmp(bytes, other, count) == 0;
}

// The destructor constants are casts, which Swift does not import.
static inline int garner_sqlite_bind_text_static(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int garner_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int garner_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// A copy of the connection's message that SQLite frees.
static inline char *garner_sqlite_copied_message(sqlite3 *connection) {
    return sqlite3_mprintf("%s", sqlite3_errmsg(connection));
}

static inline void garner_sqlite_result_text_static(sqlite3_context *context, const char *text, sqlite3_uint64 length) {
    sqlite3_result_text64(context, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

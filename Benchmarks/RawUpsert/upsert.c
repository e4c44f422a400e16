#include "RawUpsert.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static int prepare(sqlite3 *db, const char *const *names, const raw_rows *rows, sqlite3_stmt **upsert) {
    char sql[8192] = "CREATE TABLE IF NOT EXISTS animals (";
    for (int i = 0; i < rows->columns; i++) {
        snprintf(sql + strlen(sql), 200, "%s%s %s", i ? ", " : "", names[i], i == rows->key ? "INTEGER PRIMARY KEY" : "TEXT");
    }
    strcat(sql, ")");
    int code = sqlite3_exec(db, sql, 0, 0, 0);
    if (code) return code;
    char values[1024] = "", sets[4096] = "", old[2048] = "", new[2048] = "", columns[2048] = "";
    for (int i = 0; i < rows->columns; i++) {
        snprintf(columns + strlen(columns), 100, "%s%s", i ? ", " : "", names[i]);
        snprintf(values + strlen(values), 20, "%s?%d", i ? ", " : "", i + 1);
        if (i == rows->key) continue;
        const char *comma = *sets ? ", " : "";
        snprintf(sets + strlen(sets), 200, "%s%s = excluded.%s", comma, names[i], names[i]);
        snprintf(old + strlen(old), 100, "%sanimals.%s", comma, names[i]);
        snprintf(new + strlen(new), 100, "%sexcluded.%s", comma, names[i]);
    }
    char text[16384];
    snprintf(
        text, sizeof text, "INSERT INTO animals (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET %s WHERE (%s) IS NOT (%s)",
        columns, values, names[rows->key], sets, old, new);
    return sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, upsert, 0);
}

int raw_upsert(const char *path, const char *const *names, const raw_rows *rows, size_t rows_per_transaction) {
    sqlite3 *db;
    sqlite3_stmt *upsert = 0;
    int code = sqlite3_open(path, &db);
    if (!code) code = sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL", 0, 0, 0);
    if (!code) code = prepare(db, names, rows, &upsert);
    for (size_t row = 0; !code && row < rows->rows; row++) {
        if (row % rows_per_transaction == 0) code = sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
        for (int i = 0; i < rows->columns; i++) {
            size_t cell = row * (size_t)rows->columns + (size_t)i;
            if (i == rows->key) {
                sqlite3_bind_int64(upsert, i + 1, rows->keys[row]);
            } else {
                sqlite3_bind_text64(upsert, i + 1, rows->texts[cell], rows->lengths[cell], SQLITE_STATIC, SQLITE_UTF8);
            }
        }
        if (!code && sqlite3_step(upsert) != SQLITE_DONE) code = sqlite3_errcode(db);
        sqlite3_reset(upsert);
        if (!code && (row + 1) % rows_per_transaction == 0) code = sqlite3_exec(db, "COMMIT", 0, 0, 0);
    }
    sqlite3_finalize(upsert);
    sqlite3_close(db);
    return code;
}

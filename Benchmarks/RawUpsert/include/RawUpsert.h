// The floor for storing: one prepared upsert driven by raw C calls.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct raw_rows {
    /// `columns` texts a row, row after row; the text in column `key` is ignored, and the row's key is used.
    const char *const *texts;
    const uint32_t *lengths;
    const int64_t *keys;
    size_t rows;
    int columns;
    int key;
} raw_rows;

/// Stores the rows in the table `animals` of the database at `path`, `rows_per_transaction` at a time.
/// Returns an SQLite result code.
int raw_upsert(const char *path, const char *const *names, const raw_rows *rows, size_t rows_per_transaction);

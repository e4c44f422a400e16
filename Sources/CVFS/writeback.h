#pragma once

#include "CVFS.h"
#include <sqlite3.h>

// SQLite writes a part of a file and then waits until it is on the disk. Without being asked, the kernel begins only then.
typedef struct {
    // The path of a database or its log, which lives as long as the file is open; NULL for other files.
    const char *path;
    // The number of bytes written since the kernel was asked last.
    sqlite3_int64 written;
    // The descriptor in it is one that SQLite has opened and will close.
    garner_writeback asked;
} writeback;

// Notes bytes that were written at `offset`, and asks the kernel now and then to write what lies before them.
void begin_writeback(writeback *file, int length, sqlite3_int64 offset);

#pragma once

#include <sqlite3.h>

// SQLite writes a part of a file and then waits until it is on the disk. Without being asked, the kernel begins only then.
typedef struct {
    // The path of a database or its log, which lives as long as the file is open; NULL for other files.
    const char *path;
    // The number of bytes written since the kernel was asked last.
    sqlite3_int64 written;
    // The end of what the kernel was asked to write.
    sqlite3_int64 asked;
    // The descriptor that was found last; -1 if none was.
    int descriptor;
} writeback;

// Returns a descriptor of the file, which SQLite has opened and will close; -1 if none is found.
int find_descriptor(writeback *file);

// Notes bytes that were written at `offset`, and asks the kernel now and then to write what lies before them.
void begin_writeback(writeback *file, int length, sqlite3_int64 offset);

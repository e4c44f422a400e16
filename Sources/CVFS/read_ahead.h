#pragma once

#include <sqlite3.h>
#include <stdbool.h>

// A part of a database that was read for a long scan.
typedef struct {
    // The database, in the VFS below; NULL for other files.
    sqlite3_file *database;
    // The part; NULL until the first scan.
    unsigned char *bytes;
    // The range of the file that is in `bytes`; of length 0 if there is none.
    sqlite3_int64 start, length;
    // The end of the last window. The data before it was read, and may be read again.
    sqlite3_int64 seen;
    // The end of the last page of a scan, and the number of bytes that the scan has read in order.
    sqlite3_int64 end, in_order;
    // True if the last page did not belong to the scan, such as an interior page. A second such page begins a new scan.
    bool is_astray;
    // The number of pages that SQLite has not returned.
    int lent;
} read_window;

// Returns the page in the window, which SQLite returns with `window_take_back`; NULL if SQLite is to read it itself.
void *window_lend(read_window *window, sqlite3_int64 offset, int length);
void window_take_back(read_window *window);

// Empties the window. Pages that SQLite holds stay valid: the window does not move before SQLite has returned them.
void window_forget(read_window *window);
void window_free(read_window *window);

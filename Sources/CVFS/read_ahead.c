#include "read_ahead.h"
#include <string.h>

// SQLite calls xFetch of a VFS for a page that it would otherwise copy into its cache (sqlite.org/mmap.html). If it
// gets no page, it reads the page as usual. The system's VFS returns a mapping of the file, in which a failing disk
// causes a signal instead of an error. This VFS returns a part of a window of the file that it has read. It reports no
// errors: SQLite meets them when it reads the page itself.
//
// The file outside of the log does not change while a connection holds its lock (sqlite.org/walformat.html). It may
// have changed whenever the connection took or released one, so the window is emptied then.

enum {
    window_size = 128 << 10,    // stays in the processor's cache
    widest_gap = 16 << 10,      // pages of other tables and indexes, among those of a scan
    largest_page = 64 << 10,    // sqlite.org/fileformat2.html
    pages_cached = 2000 << 10,  // by SQLite (sqlite.org/pragma.html#pragma_cache_size)
    slack = 256,                // bytes beyond the last page, which a corrupt one may have SQLite look at
};

// The window must hold the page for which it was moved.
_Static_assert(widest_gap + largest_page <= window_size, "");

void window_forget(read_window *window) {
    window->start = window->length = window->seen = window->end = window->in_order = 0;
    window->is_astray = false;
}

static bool holds(const read_window *window, sqlite3_int64 offset, int length) {
    return offset >= window->start && offset + length <= window->start + window->length;
}

// Notes a page that is read. A scan goes forward, with a few pages out of order if values have overflow pages.
static void note(read_window *window, sqlite3_int64 offset, int length) {
    bool is_near = offset <= window->end + widest_gap && offset >= window->end - widest_gap;
    if (!is_near && !window->is_astray) {
        window->is_astray = true;
        return;
    }
    sqlite3_int64 end = offset + length;
    if (!is_near) {
        window->in_order = 0;
        window->end = end;
    } else if (end > window->end) {
        window->in_order += end - window->end;
        window->end = end;
    }
    window->is_astray = false;
}

// Returns true if a scan reads at this offset and is too long to be worth caching. Pages of a repeated scan may be in
// SQLite's cache, up to the size of the cache.
static bool is_due(const read_window *window, sqlite3_int64 offset) {
    if (window->lent > 0 || window->is_astray) return false;
    return window->in_order > (offset < window->seen ? pages_cached : window_size);
}

// Moves the window to `offset`. Returns false if it could not be read. The end of a file is left to SQLite, too.
static bool move(read_window *window, sqlite3_int64 offset) {
    if (!window->bytes) {
        window->bytes = sqlite3_malloc(window_size + slack);
        if (!window->bytes) return false;
        memset(window->bytes + window_size, 0, slack);
    }
    // The pages that a scan leaves out may be needed later.
    bool goes_on = offset >= window->seen && offset - window->seen <= widest_gap;
    window->start = goes_on ? window->seen : offset;
    window->seen = window->start + window_size;
    bool has_come = window->database->pMethods->xRead(window->database, window->bytes, window_size, window->start) == SQLITE_OK;
    window->length = has_come ? window_size : 0;
    return has_come;
}

// SQLite would hold an interior page (sqlite.org/fileformat2.html#b_tree_pages) while it reads all of its children.
static bool is_interior(const unsigned char *page) { return page[0] == 2 || page[0] == 5; }

void *window_lend(read_window *window, sqlite3_int64 offset, int length) {
    if (!window->database) return NULL;
    note(window, offset, length);
    if (!holds(window, offset, length) && !(is_due(window, offset) && move(window, offset))) return NULL;
    unsigned char *found = window->bytes + (offset - window->start);
    if (is_interior(found)) return NULL;
    window->lent++;
    return found;
}

void window_take_back(read_window *window) { window->lent--; }

void window_free(read_window *window) {
    sqlite3_free(window->bytes);
    window->bytes = NULL;
}

#include "CReadAhead.h"
#include <sqlite3.h>
#include <stdbool.h>
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

typedef struct {
    sqlite3_file base;
    // The file of the VFS below.
    sqlite3_file *inner;
    // True for a database, false for the files beside it.
    bool has_window;
    // The window; NULL until the first scan.
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
} file_above;

static file_above *above(sqlite3_file *file) { return (file_above *)file; }
static sqlite3_file *inner(sqlite3_file *file) { return ((file_above *)file)->inner; }

// MARK: - The window

// Empties the window. Pages that SQLite holds stay valid: the window does not move before SQLite has returned them.
static void forget(file_above *file) {
    file->start = file->length = file->seen = file->end = file->in_order = 0;
    file->is_astray = false;
}

static bool holds(const file_above *file, sqlite3_int64 offset, int length) {
    return offset >= file->start && offset + length <= file->start + file->length;
}

// Notes a page that is read. A scan goes forward, with a few pages out of order if values have overflow pages.
static void note(file_above *file, sqlite3_int64 offset, int length) {
    bool is_near = offset <= file->end + widest_gap && offset >= file->end - widest_gap;
    if (!is_near && !file->is_astray) {
        file->is_astray = true;
        return;
    }
    sqlite3_int64 end = offset + length;
    if (!is_near) {
        file->in_order = 0;
        file->end = end;
    } else if (end > file->end) {
        file->in_order += end - file->end;
        file->end = end;
    }
    file->is_astray = false;
}

// Returns true if a scan reads at this offset and is too long to be worth caching. Pages of a repeated scan may be in
// SQLite's cache, up to the size of the cache.
static bool is_due(const file_above *file, sqlite3_int64 offset) {
    if (file->lent > 0 || file->is_astray) return false;
    return file->in_order > (offset < file->seen ? pages_cached : window_size);
}

// Moves the window to `offset`. Returns false if it could not be read. The end of a file is left to SQLite, too.
static bool move(file_above *file, sqlite3_int64 offset) {
    if (!file->bytes) {
        file->bytes = sqlite3_malloc(window_size + slack);
        if (!file->bytes) return false;
        memset(file->bytes + window_size, 0, slack);
    }
    // The pages that a scan leaves out may be needed later.
    bool goes_on = offset >= file->seen && offset - file->seen <= widest_gap;
    file->start = goes_on ? file->seen : offset;
    file->seen = file->start + window_size;
    bool has_come = file->inner->pMethods->xRead(file->inner, file->bytes, window_size, file->start) == SQLITE_OK;
    file->length = has_come ? window_size : 0;
    return has_come;
}

// SQLite would hold an interior page (sqlite.org/fileformat2.html#b_tree_pages) while it reads all of its children.
static bool is_interior(const unsigned char *page) { return page[0] == 2 || page[0] == 5; }

static int fetch(sqlite3_file *base, sqlite3_int64 offset, int length, void **page) {
    *page = NULL;
    file_above *file = above(base);
    if (!file->has_window) return SQLITE_OK;
    note(file, offset, length);
    if (!holds(file, offset, length) && !(is_due(file, offset) && move(file, offset))) return SQLITE_OK;
    unsigned char *found = file->bytes + (offset - file->start);
    if (is_interior(found)) return SQLITE_OK;
    file->lent++;
    *page = found;
    return SQLITE_OK;
}

// Takes a page back from SQLite. A call without a page means that the fetched data is no longer valid.
static int unfetch(sqlite3_file *base, sqlite3_int64 offset, void *page) {
    (void)offset;
    if (page) {
        above(base)->lent--;
    } else {
        forget(above(base));
    }
    return SQLITE_OK;
}

// MARK: - Calls that empty the window

static int lock_file(sqlite3_file *file, int level) {
    forget(above(file));
    return inner(file)->pMethods->xLock(inner(file), level);
}

static int unlock_file(sqlite3_file *file, int level) {
    forget(above(file));
    return inner(file)->pMethods->xUnlock(inner(file), level);
}

static int lock_index(sqlite3_file *file, int offset, int count, int flags) {
    forget(above(file));
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}

static int write_file(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    forget(above(file));
    return inner(file)->pMethods->xWrite(inner(file), bytes, length, offset);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    forget(above(file));
    return inner(file)->pMethods->xTruncate(inner(file), size);
}

// MARK: - Calls that are passed on

static int close_file(sqlite3_file *file) {
    int result = inner(file)->pMethods->xClose(inner(file));
    sqlite3_free(above(file)->bytes);
    sqlite3_free(inner(file));
    return result;
}

static int read_file(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
    return inner(file)->pMethods->xRead(inner(file), bytes, length, offset);
}

static int synchronize(sqlite3_file *file, int flags) { return inner(file)->pMethods->xSync(inner(file), flags); }

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return inner(file)->pMethods->xFileSize(inner(file), size);
}

static int check_reserved_lock(sqlite3_file *file, int *is_locked) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), is_locked);
}

static int control(sqlite3_file *file, int operation, void *argument) {
    // The size of the mapping. The VFS below must map nothing.
    if (operation == SQLITE_FCNTL_MMAP_SIZE) return SQLITE_OK;
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}

static int sector_size(sqlite3_file *file) { return inner(file)->pMethods->xSectorSize(inner(file)); }

static int characteristics(sqlite3_file *file) { return inner(file)->pMethods->xDeviceCharacteristics(inner(file)); }

static int map_index(sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
    return inner(file)->pMethods->xShmMap(inner(file), region, size, extends, memory);
}

static void barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

static int unmap_index(sqlite3_file *file, int deletes) { return inner(file)->pMethods->xShmUnmap(inner(file), deletes); }

static const sqlite3_io_methods methods = {
    .iVersion = 3,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = synchronize,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_index,
    .xShmLock = lock_index,
    .xShmBarrier = barrier,
    .xShmUnmap = unmap_index,
    .xFetch = fetch,
    .xUnfetch = unfetch,
};

// MARK: - The VFS

const char *const garner_read_ahead = "garner_read_ahead";

static sqlite3_vfs vfs;

// Returns the current default VFS, or the next one if this VFS has become the default.
static sqlite3_vfs *below(void) {
    sqlite3_vfs *found = sqlite3_vfs_find(NULL);
    return found == &vfs ? found->pNext : found;
}

static int open_file(sqlite3_vfs *own, const char *path, sqlite3_file *base, int flags, int *out_flags) {
    (void)own;
    file_above *file = above(base);
    memset(file, 0, sizeof *file);
    sqlite3_vfs *system = below();
    sqlite3_file *opened = sqlite3_malloc(system->szOsFile);
    if (!opened) return SQLITE_NOMEM;
    memset(opened, 0, (size_t)system->szOsFile);
    int result = system->xOpen(system, path, opened, flags, out_flags);
    bool is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    // The calls for the index of a database's log are passed on too, so they must exist.
    if (result == SQLITE_OK && is_database && (opened->pMethods->iVersion < 2 || !opened->pMethods->xShmMap)) {
        result = SQLITE_CANTOPEN;
    }
    if (result != SQLITE_OK) {
        if (opened->pMethods) opened->pMethods->xClose(opened);
        sqlite3_free(opened);
        return result;
    }
    file->base.pMethods = &methods;
    file->inner = opened;
    file->has_window = is_database;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *own, const char *path, int syncs_folder) {
    (void)own;
    sqlite3_vfs *system = below();
    return system->xDelete(system, path, syncs_folder);
}

static int access_file(sqlite3_vfs *own, const char *path, int flags, int *result) {
    (void)own;
    sqlite3_vfs *system = below();
    return system->xAccess(system, path, flags, result);
}

static int full_path(sqlite3_vfs *own, const char *path, int length, char *full) {
    (void)own;
    sqlite3_vfs *system = below();
    return system->xFullPathname(system, path, length, full);
}

int garner_read_ahead_register(void) {
    int result = sqlite3_initialize();
    if (result != SQLITE_OK || sqlite3_vfs_find(garner_read_ahead)) return result;
    vfs = *sqlite3_vfs_find(NULL);
    vfs.pNext = NULL;
    vfs.zName = garner_read_ahead;
    vfs.szOsFile = (int)sizeof(file_above);
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    vfs.xAccess = access_file;
    vfs.xFullPathname = full_path;
    return sqlite3_vfs_register(&vfs, 0);
}

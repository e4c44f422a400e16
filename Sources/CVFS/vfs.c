#include "CVFS.h"
#include "read_ahead.h"
#include <string.h>

typedef struct {
    sqlite3_file base;
    // The file of the VFS below.
    sqlite3_file *inner;
    read_window window;
} file_above;

static file_above *above(sqlite3_file *file) { return (file_above *)file; }
static sqlite3_file *inner(sqlite3_file *file) { return ((file_above *)file)->inner; }

// MARK: - Calls that concern the window

// SQLite asks for pages only where it may map the file.
static int fetch(sqlite3_file *file, sqlite3_int64 offset, int length, void **page) {
    *page = window_lend(&above(file)->window, offset, length);
    return SQLITE_OK;
}

// Takes a page back from SQLite. A call without a page means that the fetched data is no longer valid.
static int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
    (void)offset;
    if (page) {
        window_take_back(&above(file)->window);
    } else {
        window_forget(&above(file)->window);
    }
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *file, int level) {
    window_forget(&above(file)->window);
    return inner(file)->pMethods->xLock(inner(file), level);
}

static int unlock_file(sqlite3_file *file, int level) {
    window_forget(&above(file)->window);
    return inner(file)->pMethods->xUnlock(inner(file), level);
}

static int lock_index(sqlite3_file *file, int offset, int count, int flags) {
    window_forget(&above(file)->window);
    return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}

static int write_file(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    window_forget(&above(file)->window);
    return inner(file)->pMethods->xWrite(inner(file), bytes, length, offset);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    window_forget(&above(file)->window);
    return inner(file)->pMethods->xTruncate(inner(file), size);
}

// MARK: - Calls that are passed on

static int close_file(sqlite3_file *file) {
    int result = inner(file)->pMethods->xClose(inner(file));
    window_free(&above(file)->window);
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

const char *const garner_vfs = "garner";

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
    file->window.database = is_database ? opened : NULL;
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

int garner_vfs_register(void) {
    int result = sqlite3_initialize();
    if (result != SQLITE_OK || sqlite3_vfs_find(garner_vfs)) return result;
    vfs = *sqlite3_vfs_find(NULL);
    vfs.pNext = NULL;
    vfs.zName = garner_vfs;
    vfs.szOsFile = (int)sizeof(file_above);
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    vfs.xAccess = access_file;
    vfs.xFullPathname = full_path;
    return sqlite3_vfs_register(&vfs, 0);
}

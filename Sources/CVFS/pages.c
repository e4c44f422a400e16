#include "CVFS.h"
#include <sqlite3.h>
#include <string.h>

// SQLite reads the pages of a database in its older form, with a rollback journal: a file with a write-ahead log would need an index that
// several processes share (sqlite.org/walformat.html). The functions show it such a first page. In that form it locks the file while it
// reads, and by a counter in the first page it finds out if the pages that it keeps are still those of the database
// (sqlite.org/fileformat2.html#file_change_counter).

typedef struct {
    sqlite3_file base;
    void *database;
    // The size of the last snapshot.
    sqlite3_int64 size;
    bool is_reading;
} pages_file;

static garner_pages_functions functions;

static pages_file *pages(sqlite3_file *file) { return (pages_file *)file; }

static int close_file(sqlite3_file *file) {
    functions.close(pages(file)->database);
    return SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
    // Only the header is read without a lock, when the file is opened. Its page size is looked at again later.
    sqlite3_int64 there = pages(file)->is_reading ? pages(file)->size - offset : 0;
    int count = there <= 0 ? 0 : there < length ? (int)there : length;
    memset((char *)bytes + count, 0, (size_t)(length - count));
    if (count > 0 && !functions.read(pages(file)->database, bytes, count, offset)) return SQLITE_IOERR_READ;
    return count < length ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int write_file(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    (void)file, (void)bytes, (void)length, (void)offset;
    return SQLITE_READONLY;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
    (void)file, (void)size;
    return SQLITE_READONLY;
}

static int synchronize(sqlite3_file *file, int flags) {
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    *size = pages(file)->size;
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *file, int level) {
    if (level > SQLITE_LOCK_SHARED) return SQLITE_READONLY;
    if (level == SQLITE_LOCK_NONE || pages(file)->is_reading) return SQLITE_OK;
    int64_t size = 0;
    if (!functions.begin(pages(file)->database, &size)) return SQLITE_IOERR_LOCK;
    pages(file)->size = size;
    pages(file)->is_reading = true;
    return SQLITE_OK;
}

static int unlock_file(sqlite3_file *file, int level) {
    if (level != SQLITE_LOCK_NONE || !pages(file)->is_reading) return SQLITE_OK;
    pages(file)->is_reading = false;
    functions.end(pages(file)->database);
    return SQLITE_OK;
}

static int check_reserved_lock(sqlite3_file *file, int *is_locked) {
    (void)file;
    *is_locked = 0;
    return SQLITE_OK;
}

static int control(sqlite3_file *file, int operation, void *argument) {
    (void)file, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *file) {
    (void)file;
    return 4096;
}

// Not SQLITE_IOCAP_IMMUTABLE, with which SQLite would never look at the counter.
static int characteristics(sqlite3_file *file) {
    (void)file;
    return 0;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
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
};

// MARK: - The VFS

const char *const garner_pages_vfs = "garner-pages";

static sqlite3_vfs vfs;

// Returns the VFS for the files in which SQLite sorts.
static sqlite3_vfs *below(void) { return sqlite3_vfs_find(garner_vfs); }

static int open_file(sqlite3_vfs *own, const char *path, sqlite3_file *base, int flags, int *out_flags) {
    (void)own;
    base->pMethods = NULL;
    if (!(flags & SQLITE_OPEN_MAIN_DB)) return below()->xOpen(below(), path, base, flags, out_flags);
    pages_file *file = pages(base);
    memset(file, 0, sizeof *file);
    if (!(flags & SQLITE_OPEN_READONLY)) return SQLITE_CANTOPEN;
    file->database = functions.open(path);
    if (!file->database) return SQLITE_CANTOPEN;
    file->base.pMethods = &methods;
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *own, const char *path, int syncs_folder) {
    (void)own;
    return below()->xDelete(below(), path, syncs_folder);
}

// There is no journal and no log.
static int access_file(sqlite3_vfs *own, const char *path, int flags, int *result) {
    (void)own, (void)path, (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *own, const char *path, int length, char *full) {
    (void)own;
    sqlite3_snprintf(length, full, "%s", path);
    return SQLITE_OK;
}

int garner_pages_vfs_register(const garner_pages_functions *given) {
    int result = garner_vfs_register();
    if (result != SQLITE_OK || sqlite3_vfs_find(garner_pages_vfs)) return result;
    functions = *given;
    vfs = *below();
    vfs.pNext = NULL;
    vfs.zName = garner_pages_vfs;
    if (vfs.szOsFile < (int)sizeof(pages_file)) vfs.szOsFile = (int)sizeof(pages_file);
    vfs.xOpen = open_file;
    vfs.xDelete = delete_file;
    vfs.xAccess = access_file;
    vfs.xFullPathname = full_path;
    return sqlite3_vfs_register(&vfs, 0);
}

#include "FaultyStorage.h"
#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

typedef struct {
    sqlite3_file base;
    garner_storage_file kind;
    // SQLite keeps the name for as long as the file is open.
    const char *path;
} faulty_file;

// The size of a file, for the limit.
typedef struct {
    char *path;
    int64_t size;
} sized_file;

enum { maximum_sizes = 64 };

static struct {
    pthread_mutex_t mutex;
    int64_t calls, failures, open_files;
    int64_t fail_at;
    garner_storage_fault fault;
    int for_ever;
    int64_t limit;
    sized_file sizes[maximum_sizes];
    garner_storage_observer observer;
    void *context;
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .limit = -1};

static sqlite3_vfs shim;
static sqlite3_vfs *inner_vfs;

static sqlite3_file *inner(sqlite3_file *file) { return (sqlite3_file *)((faulty_file *)file + 1); }

// MARK: - What becomes of a call

int garner_storage_can_fail(garner_storage_call call, garner_storage_fault fault) {
    switch (fault) {
    case GARNER_FAULT_NONE: return 0;
    case GARNER_FAULT_IO: return 1;
    case GARNER_FAULT_SPACE:
        return call == GARNER_CALL_OPEN || call == GARNER_CALL_WRITE || call == GARNER_CALL_SYNC ||
               call == GARNER_CALL_MAP_INDEX;
    case GARNER_FAULT_SHORT: return call == GARNER_CALL_READ || call == GARNER_CALL_WRITE;
    }
    return 0;
}

// As the system's VFS says it.
static int result_of(garner_storage_call call, garner_storage_fault fault) {
    switch (call) {
    case GARNER_CALL_OPEN: return SQLITE_CANTOPEN;
    case GARNER_CALL_READ: return SQLITE_IOERR_READ;
    case GARNER_CALL_WRITE: return fault == GARNER_FAULT_SPACE ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    case GARNER_CALL_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case GARNER_CALL_SYNC: return SQLITE_IOERR_FSYNC;
    case GARNER_CALL_SIZE: return SQLITE_IOERR_FSTAT;
    case GARNER_CALL_LOCK: return SQLITE_IOERR_LOCK;
    case GARNER_CALL_MAP_INDEX: return fault == GARNER_FAULT_SPACE ? SQLITE_IOERR_SHMSIZE : SQLITE_IOERR_SHMMAP;
    case GARNER_CALL_LOCK_INDEX: return SQLITE_IOERR_SHMLOCK;
    case GARNER_CALL_DELETE: return SQLITE_IOERR_DELETE;
    case GARNER_CALL_ACCESS: return SQLITE_IOERR_ACCESS;
    case GARNER_CALL_FULL_PATH: return SQLITE_CANTOPEN_FULLPATH;
    }
    return SQLITE_IOERR;
}

// Counts a call; the fault that befalls it.
static garner_storage_fault begin(garner_storage_call call, int64_t *number) {
    pthread_mutex_lock(&state.mutex);
    *number = ++state.calls;
    int is_meant = state.for_ever ? *number >= state.fail_at : *number == state.fail_at;
    garner_storage_fault fault =
        is_meant && garner_storage_can_fail(call, state.fault) ? state.fault : GARNER_FAULT_NONE;
    if (fault != GARNER_FAULT_NONE) state.failures++;
    pthread_mutex_unlock(&state.mutex);
    return fault;
}

// "the underlying operating system error code" (sqlite.org/c3ref/system_errno.html) is errno.
static int end(garner_storage_event event, garner_storage_fault fault) {
    int number = fault == GARNER_FAULT_NONE ? errno : fault == GARNER_FAULT_SPACE ? ENOSPC : EIO;
    if (state.observer) state.observer(state.context, &event);
    errno = number;
    return event.result;
}

// MARK: - The limit

// Notes that a file has a size; 0 where it may not have it. A negative size forgets the file.
static int resize(const char *path, int64_t size, int only_grow) {
    if (!path) return 1;
    pthread_mutex_lock(&state.mutex);
    sized_file *file = NULL;
    int64_t total = 0;
    for (int i = 0; i < maximum_sizes; i++) {
        if (!state.sizes[i].path) continue;
        total += state.sizes[i].size;
        if (strcmp(state.sizes[i].path, path) == 0) file = &state.sizes[i];
    }
    for (int i = 0; !file && i < maximum_sizes; i++)
        if (!state.sizes[i].path) {
            file = &state.sizes[i];
            file->path = strdup(path);
        }
    int fits = 1;
    if (!file) {
        abort();  // more files than any harness has
    } else if (size < 0) {
        free(file->path);
        *file = (sized_file){0};
    } else if (size <= file->size) {
        if (!only_grow) file->size = size;
    } else {
        fits = total - file->size + size <= state.limit;
        if (fits) file->size = size;
    }
    pthread_mutex_unlock(&state.mutex);
    return fits;
}

static int has_room(const char *path, int64_t size) { return state.limit < 0 || resize(path, size, 1); }

static int resize_index(const char *path, int64_t size) {
    char name[4096];
    return resize(sqlite3_snprintf(sizeof name, name, "%s-shm", path), size, 1);
}

static void note_size(const char *path, int64_t size) {
    if (state.limit >= 0) resize(path, size, 0);
}

// MARK: - Of a file

static int faulty_close(sqlite3_file *file) {
    pthread_mutex_lock(&state.mutex);
    state.open_files--;
    pthread_mutex_unlock(&state.mutex);
    return inner(file)->pMethods->xClose(inner(file));
}

static int faulty_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {
        .call = GARNER_CALL_READ, .file = own->kind, .path = own->path, .offset = offset, .length = length};
    garner_storage_fault fault = begin(event.call, &event.number);
    if (fault == GARNER_FAULT_NONE)
        event.result = inner(file)->pMethods->xRead(inner(file), bytes, length, offset);
    else {
        if (fault == GARNER_FAULT_SHORT) inner(file)->pMethods->xRead(inner(file), bytes, length / 2, offset);
        event.result = result_of(event.call, fault);
    }
    return end(event, fault);
}

static int faulty_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {
        .call = GARNER_CALL_WRITE, .file = own->kind, .path = own->path, .offset = offset, .length = length,
        .bytes = bytes};
    garner_storage_fault fault = begin(event.call, &event.number);
    if (fault == GARNER_FAULT_NONE && !has_room(own->path, offset + length)) fault = GARNER_FAULT_SPACE;
    if (fault == GARNER_FAULT_NONE)
        event.result = inner(file)->pMethods->xWrite(inner(file), bytes, length, offset);
    else {
        if (fault == GARNER_FAULT_SHORT) inner(file)->pMethods->xWrite(inner(file), bytes, length / 2, offset);
        event.result = result_of(event.call, fault);
    }
    return end(event, fault);
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size) {
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {
        .call = GARNER_CALL_TRUNCATE, .file = own->kind, .path = own->path, .offset = size};
    garner_storage_fault fault = begin(event.call, &event.number);
    event.result = fault == GARNER_FAULT_NONE ? inner(file)->pMethods->xTruncate(inner(file), size)
                                              : result_of(event.call, fault);
    if (event.result == SQLITE_OK) note_size(own->path, size);
    return end(event, fault);
}

// Whether this thread is in a sync that SQLite asked for.
static _Thread_local int is_syncing;

static int faulty_sync(sqlite3_file *file, int flags) {
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {.call = GARNER_CALL_SYNC, .file = own->kind, .path = own->path};
    garner_storage_fault fault = begin(event.call, &event.number);
    is_syncing = 1;
    event.result = fault == GARNER_FAULT_NONE ? inner(file)->pMethods->xSync(inner(file), flags)
                                              : result_of(event.call, fault);
    is_syncing = 0;
    return end(event, fault);
}

static int faulty_size(sqlite3_file *file, sqlite3_int64 *size) {
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {.call = GARNER_CALL_SIZE, .file = own->kind, .path = own->path};
    garner_storage_fault fault = begin(event.call, &event.number);
    event.result = fault == GARNER_FAULT_NONE ? inner(file)->pMethods->xFileSize(inner(file), size)
                                              : result_of(event.call, fault);
    return end(event, fault);
}

static int faulty_lock(sqlite3_file *file, int level) {
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {.call = GARNER_CALL_LOCK, .file = own->kind, .path = own->path};
    garner_storage_fault fault = begin(event.call, &event.number);
    event.result = fault == GARNER_FAULT_NONE ? inner(file)->pMethods->xLock(inner(file), level)
                                              : result_of(event.call, fault);
    return end(event, fault);
}

static int faulty_unlock(sqlite3_file *file, int level) {
    return inner(file)->pMethods->xUnlock(inner(file), level);
}

static int faulty_check_lock(sqlite3_file *file, int *is_locked) {
    return inner(file)->pMethods->xCheckReservedLock(inner(file), is_locked);
}

static int faulty_control(sqlite3_file *file, int operation, void *argument) {
    return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}

static int faulty_sector_size(sqlite3_file *file) { return inner(file)->pMethods->xSectorSize(inner(file)); }

static int faulty_characteristics(sqlite3_file *file) {
    return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

static int faulty_map_index(sqlite3_file *file, int region, int size, int extend, void volatile **address) {
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {.call = GARNER_CALL_MAP_INDEX, .file = GARNER_FILE_INDEX, .path = own->path};
    garner_storage_fault fault = begin(event.call, &event.number);
    if (fault == GARNER_FAULT_NONE && extend && state.limit >= 0) {
        if (!resize_index(own->path, (int64_t)(region + 1) * size)) fault = GARNER_FAULT_SPACE;
    }
    event.result = fault == GARNER_FAULT_NONE
                       ? inner(file)->pMethods->xShmMap(inner(file), region, size, extend, address)
                       : result_of(event.call, fault);
    return end(event, fault);
}

static int faulty_lock_index(sqlite3_file *file, int offset, int count, int flags) {
    if (flags & SQLITE_SHM_UNLOCK) return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
    faulty_file *own = (faulty_file *)file;
    garner_storage_event event = {.call = GARNER_CALL_LOCK_INDEX, .file = GARNER_FILE_INDEX, .path = own->path};
    garner_storage_fault fault = begin(event.call, &event.number);
    event.result = fault == GARNER_FAULT_NONE ? inner(file)->pMethods->xShmLock(inner(file), offset, count, flags)
                                              : result_of(event.call, fault);
    return end(event, fault);
}

static void faulty_barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

static int faulty_unmap_index(sqlite3_file *file, int deletes) {
    if (deletes && state.limit >= 0) resize_index(((faulty_file *)file)->path, -1);
    return inner(file)->pMethods->xShmUnmap(inner(file), deletes);
}

// Without xFetch, so that every read comes by.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = faulty_close,
    .xRead = faulty_read,
    .xWrite = faulty_write,
    .xTruncate = faulty_truncate,
    .xSync = faulty_sync,
    .xFileSize = faulty_size,
    .xLock = faulty_lock,
    .xUnlock = faulty_unlock,
    .xCheckReservedLock = faulty_check_lock,
    .xFileControl = faulty_control,
    .xSectorSize = faulty_sector_size,
    .xDeviceCharacteristics = faulty_characteristics,
    .xShmMap = faulty_map_index,
    .xShmLock = faulty_lock_index,
    .xShmBarrier = faulty_barrier,
    .xShmUnmap = faulty_unmap_index,
};

// MARK: - Of the file system

static garner_storage_file kind_of(const char *path, int flags) {
    if (!path) return GARNER_FILE_OTHER;
    if (flags & SQLITE_OPEN_MAIN_DB) return GARNER_FILE_DATABASE;
    if (flags & SQLITE_OPEN_WAL) return GARNER_FILE_LOG;
    if (flags & SQLITE_OPEN_MAIN_JOURNAL) return GARNER_FILE_JOURNAL;
    return GARNER_FILE_OTHER;
}

static garner_storage_file kind_of_name(const char *path) {
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, "-wal") == 0) return GARNER_FILE_LOG;
    if (length > 8 && strcmp(path + length - 8, "-journal") == 0) return GARNER_FILE_JOURNAL;
    return GARNER_FILE_DATABASE;
}

static int faulty_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    faulty_file *own = (faulty_file *)file;
    own->base.pMethods = NULL;
    own->kind = kind_of(path, flags);
    own->path = own->kind == GARNER_FILE_OTHER ? NULL : path;
    garner_storage_event event = {.call = GARNER_CALL_OPEN, .file = own->kind, .path = own->path};
    garner_storage_fault fault = begin(event.call, &event.number);
    if (fault != GARNER_FAULT_NONE) {
        event.result = result_of(event.call, fault);
        return end(event, fault);
    }
    int exists = 0;
    if (path) inner_vfs->xAccess(inner_vfs, path, SQLITE_ACCESS_EXISTS, &exists);
    event.result = inner_vfs->xOpen(inner_vfs, path, inner(file), flags, out_flags);
    if (event.result == SQLITE_OK) {
        event.flag = !exists;
        own->base.pMethods = &methods;
        sqlite3_int64 size = 0;
        if (inner(file)->pMethods->xFileSize(inner(file), &size) == SQLITE_OK) note_size(own->path, size);
        pthread_mutex_lock(&state.mutex);
        state.open_files++;
        pthread_mutex_unlock(&state.mutex);
    }
    return end(event, fault);
}

static int faulty_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    (void)vfs;
    garner_storage_event event = {
        .call = GARNER_CALL_DELETE, .file = kind_of_name(path), .path = path, .flag = syncs_folder};
    garner_storage_fault fault = begin(event.call, &event.number);
    event.result = fault == GARNER_FAULT_NONE ? inner_vfs->xDelete(inner_vfs, path, syncs_folder)
                                              : result_of(event.call, fault);
    if (event.result == SQLITE_OK && state.limit >= 0) resize(path, -1, 0);
    return end(event, fault);
}

static int faulty_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    garner_storage_event event = {.call = GARNER_CALL_ACCESS, .file = kind_of_name(path), .path = path};
    garner_storage_fault fault = begin(event.call, &event.number);
    event.result = fault == GARNER_FAULT_NONE ? inner_vfs->xAccess(inner_vfs, path, flags, result)
                                              : result_of(event.call, fault);
    return end(event, fault);
}

static int faulty_full_path(sqlite3_vfs *vfs, const char *path, int length, char *full) {
    (void)vfs;
    garner_storage_event event = {.call = GARNER_CALL_FULL_PATH, .file = GARNER_FILE_DATABASE, .path = path};
    garner_storage_fault fault = begin(event.call, &event.number);
    event.result = fault == GARNER_FAULT_NONE ? inner_vfs->xFullPathname(inner_vfs, path, length, full)
                                              : result_of(event.call, fault);
    return end(event, fault);
}

// MARK: - Of the log, by others than SQLite

#ifdef __linux__
// Stands in the place of the C library's function in the whole program: Garner waits for the log on its way to the disk before it tells
// other machines what is in it, and SQLite does not see that.
int fdatasync(int descriptor) {
    int result = (int)syscall(SYS_fdatasync, descriptor);
    if (is_syncing || !state.observer) return result;
    int number = errno;
    char link[64], path[4096];
    sqlite3_snprintf(sizeof link, link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        garner_storage_event event = {
            .call = GARNER_CALL_SYNC, .file = kind_of_name(path), .path = path, .result = result};
        if (event.file == GARNER_FILE_LOG) state.observer(state.context, &event);
    }
    errno = number;
    return result;
}
#endif

// MARK: - From outside

int garner_storage_install(void) {
    inner_vfs = inner_vfs ? inner_vfs : sqlite3_vfs_find(NULL);
    if (!inner_vfs) return SQLITE_ERROR;
    shim = *inner_vfs;
    shim.pNext = NULL;
    shim.zName = "garner_faulty";
    shim.szOsFile = (int)sizeof(faulty_file) + inner_vfs->szOsFile;
    shim.xOpen = faulty_open;
    shim.xDelete = faulty_delete;
    shim.xAccess = faulty_access;
    shim.xFullPathname = faulty_full_path;
    return sqlite3_vfs_register(&shim, 1);
}

int garner_storage_uninstall(void) {
    int result = sqlite3_vfs_unregister(&shim);
    // What is registered next to it would become the default.
    return result == SQLITE_OK && inner_vfs ? sqlite3_vfs_register(inner_vfs, 1) : result;
}

void garner_storage_reset(void) {
    pthread_mutex_lock(&state.mutex);
    state.calls = state.failures = 0;
    state.fail_at = 0;
    state.fault = GARNER_FAULT_NONE;
    state.for_ever = 0;
    state.limit = -1;
    state.observer = NULL;
    state.context = NULL;
    for (int i = 0; i < maximum_sizes; i++) free(state.sizes[i].path);
    memset(state.sizes, 0, sizeof state.sizes);
    pthread_mutex_unlock(&state.mutex);
}

void garner_storage_fail(int64_t number, garner_storage_fault fault, int for_ever) {
    pthread_mutex_lock(&state.mutex);
    state.fail_at = number;
    state.fault = fault;
    state.for_ever = for_ever;
    pthread_mutex_unlock(&state.mutex);
}

void garner_storage_limit(int64_t bytes) {
    pthread_mutex_lock(&state.mutex);
    state.limit = bytes;
    pthread_mutex_unlock(&state.mutex);
}

void garner_storage_observe(garner_storage_observer observer, void *context) {
    pthread_mutex_lock(&state.mutex);
    state.observer = observer;
    state.context = context;
    pthread_mutex_unlock(&state.mutex);
}

static int64_t reading(const int64_t *value) {
    pthread_mutex_lock(&state.mutex);
    int64_t read = *value;
    pthread_mutex_unlock(&state.mutex);
    return read;
}

int64_t garner_storage_calls(void) { return reading(&state.calls); }
int64_t garner_storage_failures(void) { return reading(&state.failures); }
int64_t garner_storage_open_files(void) { return reading(&state.open_files); }

#pragma once
#include <stdint.h>

// A VFS for SQLite that passes every call on to the system's own, and counts, shows, fails or limits it on the way.
// It stands for the disk, so all of it is one state of the process.

typedef enum {
    GARNER_FILE_DATABASE,
    GARNER_FILE_LOG,    // the write-ahead log
    GARNER_FILE_INDEX,  // the index of the log, which is memory that connections share and no durable storage
    GARNER_FILE_JOURNAL,
    GARNER_FILE_OTHER,  // temporary
} garner_storage_file;

// Those that are counted. What cannot fail in a way that SQLite would notice (closing, unlocking) is not.
typedef enum {
    GARNER_CALL_OPEN,
    GARNER_CALL_READ,
    GARNER_CALL_WRITE,
    GARNER_CALL_TRUNCATE,
    GARNER_CALL_SYNC,
    GARNER_CALL_SIZE,
    GARNER_CALL_LOCK,
    GARNER_CALL_MAP_INDEX,
    GARNER_CALL_LOCK_INDEX,
    GARNER_CALL_DELETE,
    GARNER_CALL_ACCESS,
    GARNER_CALL_FULL_PATH,
} garner_storage_call;

typedef enum {
    GARNER_FAULT_NONE,
    // EIO, of every call.
    GARNER_FAULT_IO,
    // ENOSPC, of calls that take space.
    GARNER_FAULT_SPACE,
    // Half of the bytes of a read or write, then EIO. No short read is passed off as the end of the file: the system's
    // VFS reads on until there is nothing more, so that SQLite takes what is missing for zeros.
    GARNER_FAULT_SHORT,
} garner_storage_fault;

typedef struct {
    // From 1, since the last reset.
    int64_t number;
    garner_storage_call call;
    garner_storage_file file;
    // NULL for a temporary file.
    const char *path;
    // Of a truncation, the new size.
    int64_t offset;
    int64_t length;
    // What was written.
    const void *bytes;
    // Of an open: the file was made. Of a deletion: the folder was synchronised.
    int flag;
    // SQLite's result code.
    int result;
} garner_storage_event;

typedef void (*garner_storage_observer)(void *context, const garner_storage_event *event);

// Makes it the process's default VFS, or no longer. No connection may be open.
int garner_storage_install(void);
int garner_storage_uninstall(void);

// Begins to count at 1, without a fault, a limit or an observer.
void garner_storage_reset(void);

// Fails the call of this number, or it and all that follow, where the fault can befall them.
void garner_storage_fail(int64_t number, garner_storage_fault fault, int for_ever);

// Whether a call can have the fault.
int garner_storage_can_fail(garner_storage_call call, garner_storage_fault fault);

// No file may grow where all files together would then have more bytes; negative for no limit.
void garner_storage_limit(int64_t bytes);

// Shows every counted call once it has returned, on the thread that made it, and on Linux also each fdatasync of a log that SQLite
// has not asked for, as number 0.
void garner_storage_observe(garner_storage_observer observer, void *context);

int64_t garner_storage_calls(void);
// The calls that were made to fail.
int64_t garner_storage_failures(void);
int64_t garner_storage_open_files(void);

// Says on standard error what was tried when the process ends by a trap, or when the next watch has not begun in time.
void garner_watch(const char *label, unsigned int seconds);

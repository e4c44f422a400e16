// For sync_file_range, which Linux alone has.
#define _GNU_SOURCE
#include "writeback.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
    chunk = 1 << 20,       // a request takes 0.15 ms
    page_of_system = 4096, // or a multiple of it
    most_descriptors = 1 << 16,
};

// Returns the number of descriptors that this process may have, as far as they are looked at.
static int descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > most_descriptors) return most_descriptors;
    return (int)limit.rlim_cur;
}

// A descriptor of our own would not do, since closing it would release SQLite's locks
// (sqlite.org/howtocorrupt.html, 2.2). If SQLite has closed this one meanwhile, and its number is another file's, that one is written early.
int find_descriptor(writeback *file) {
    struct stat named, opened;
    if (!file->path || stat(file->path, &named) != 0) return -1;
    for (int next = -1, end = descriptors(); next < end; next++) {
        int descriptor = next < 0 ? file->descriptor : next;
        if (fstat(descriptor, &opened) != 0 || opened.st_dev != named.st_dev || opened.st_ino != named.st_ino) continue;
        return file->descriptor = descriptor;
    }
    return -1;
}

void begin_writeback(writeback *file, int length, sqlite3_int64 offset) {
    if (!file->path) return;
    file->written += length;
    if (file->written < chunk) return;
    file->written = 0;
#ifdef __linux__
    // The last page of the system may be written to again. The disk would have to be waited for, or write it twice.
    sqlite3_int64 end = offset - offset % page_of_system;
    // A length of zero would mean the whole file.
    int descriptor = end > 0 ? find_descriptor(file) : -1;
    if (descriptor < 0) return;
    // Errors stay for fdatasync, which SQLite calls.
    if (sync_file_range(descriptor, 0, end, SYNC_FILE_RANGE_WRITE) == 0) file->asked = end;
#else
    (void)offset;
#endif
}

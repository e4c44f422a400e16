#pragma once

// A VFS over the system's. It reads many pages of a long scan at a time, past SQLite's cache, where SQLite may map the file.
// It has the kernel begin to write to the disk before SQLite waits for that.

// The name of the VFS, with which a database is opened.
extern const char *const garner_vfs;

// Registers the VFS with SQLite. Further calls do nothing. Returns SQLite's result code.
int garner_vfs_register(void);

// Operations of sqlite3_file_control. SQLite leaves numbers from 100 on to others (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
enum {
    // How far into the file the kernel was asked to write it to the disk, in bytes: an sqlite3_int64.
    GARNER_FCNTL_WRITEBACK = 0x6761,
    // A descriptor of a database or its log, which SQLite has opened and will close: an int, -1 if none is found.
    GARNER_FCNTL_DESCRIPTOR,
};

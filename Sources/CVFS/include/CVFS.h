#pragma once

// A VFS over the system's. It reads many pages of a long scan at a time, past SQLite's cache, where SQLite may map the file.
// It has the kernel begin to write to the disk before SQLite waits for that.

// The name of the VFS, with which a database is opened.
extern const char *const garner_vfs;

// Registers the VFS with SQLite. Further calls do nothing. Returns SQLite's result code.
int garner_vfs_register(void);

// What the kernel was asked to write to the disk.
typedef struct {
    // The end of it in the file, in bytes; 0 if nothing was.
    long long end;
    // The descriptor of the file that was named to the kernel; -1 if none was found.
    int descriptor;
} garner_writeback;

// An operation of sqlite3_file_control, whose argument is a pointer to garner_writeback. SQLite leaves numbers from 100 on to others
// (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
enum { GARNER_FCNTL_WRITEBACK = 0x6761 };

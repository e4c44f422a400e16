#pragma once

// A VFS over the system's, for export and count alone: it reads many pages of a long scan at a time, past SQLite's cache, where SQLite
// may map the file.

// The name of the VFS, with which a database is opened.
extern const char *const garner_vfs;

// Registers the VFS with SQLite. Further calls do nothing. Returns SQLite's result code.
int garner_vfs_register(void);

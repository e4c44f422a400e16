#pragma once

// A VFS for connections that only read. It reads many pages of a long scan at a time, past SQLite's cache.

// The name of the VFS, with which a database is opened.
extern const char *const garner_read_ahead;

// Registers the VFS with SQLite. Further calls do nothing. Returns SQLite's result code.
int garner_read_ahead_register(void);

#pragma once

// A VFS for connections that only read: the pages of a long scan come in many at a time, past SQLite's cache.

// The name that it is opened by.
extern const char *const garner_read_ahead;

// Makes it known to SQLite; may be called again. Returns SQLite's result code.
int garner_read_ahead_register(void);

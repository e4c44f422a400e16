#pragma once

#include <stdbool.h>
#include <stdint.h>

// A VFS over the system's, for export and count alone: it reads many pages of a long scan at a time, past SQLite's cache, where SQLite
// may map the file.

// The name of the VFS, with which a database is opened.
extern const char *const garner_vfs;

// Registers the VFS with SQLite. Further calls do nothing. Returns SQLite's result code.
int garner_vfs_register(void);

// A VFS for databases that are no files. Functions of the program give it their pages, and nobody can write to them.

extern const char *const garner_pages_vfs;

typedef struct {
    // Returns what the other functions get for the database of that name; NULL if it cannot be opened.
    void *(*open)(const char *name);
    void (*close)(void *database);
    // Begins a snapshot, of which all is read until `end`, and sets its size in bytes. Returns false if that fails.
    bool (*begin)(void *database, int64_t *size);
    void (*end)(void *database);
    // Copies bytes of the snapshot. Returns false if that fails.
    bool (*read)(void *database, void *bytes, int length, int64_t offset);
} garner_pages_functions;

// Registers the VFS with SQLite, for all databases. Further calls do nothing. Returns SQLite's result code.
int garner_pages_vfs_register(const garner_pages_functions *functions);

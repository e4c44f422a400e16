-- Tables that are published to PostgreSQL (docs/decisions/0068-published-tables.md).
CREATE TABLE _garner_publication (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- The identity of the file there, a UUID.
    file TEXT NOT NULL,
    -- The note up to which all that was taken is there.
    position INTEGER NOT NULL DEFAULT 0,
    -- Where that is, without a password; NULL until somebody has connected.
    target TEXT,
    -- The schema that the latest notes are about: if others have changed it, rows may have other numbers.
    schema_version INTEGER NOT NULL,
    -- Whether a Garner that notes nothing has written to the file.
    is_unnoted INTEGER NOT NULL DEFAULT 0 CHECK (is_unnoted IN (0, 1)),
    -- Since when something waits; NULL: nothing does.
    waiting_since TEXT,
    -- Why PostgreSQL was not written at last, until somebody changes something, and since when; NULL: it was written.
    refusal TEXT,
    refused_since TEXT
) STRICT;

CREATE TABLE _garner_publishers (
    -- Of one process, a UUID.
    token TEXT PRIMARY KEY,
    -- The number of the first note that it may have made.
    first_note INTEGER NOT NULL
) STRICT;

-- Tables whose changes are noted. 0 stands for _garner_runs.
CREATE TABLE _garner_published (
    stream_id INTEGER PRIMARY KEY,
    -- The note up to which PostgreSQL has the table.
    position INTEGER NOT NULL DEFAULT 0,
    behind_since TEXT,
    behind_reason TEXT
) STRICT;

CREATE TABLE _garner_outbox (
    note INTEGER PRIMARY KEY AUTOINCREMENT,
    stream_id INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('insert', 'update', 'delete', 'whole')),
    -- NULL for 'whole'.
    first_row INTEGER,
    last_row INTEGER,
    -- Of a deleted row: the key, or a JSON array of its parts; NULL where that is the number of the row.
    record_key ANY
) STRICT;

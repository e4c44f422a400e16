-- Garner's own tables. Times are RFC 3339 in UTC with milliseconds, so that their texts sort as the instants do.

CREATE TABLE _garner_migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT;

-- One row a stream that was ever synchronised.
CREATE TABLE _garner_streams (
    stream_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    table_name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    -- The run that ended the first read. Rows without an entry in _garner_changes came with it or before.
    baseline_run INTEGER REFERENCES _garner_runs (run_id)
) STRICT;

-- The columns of a stream's table, and where in a record each comes from.
CREATE TABLE _garner_columns (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- A normalized JSONPath relative to the record, such as $['weight']['min'] (RFC 9535, section 2.7).
    path TEXT NOT NULL,
    -- NULL while every value was null.
    type TEXT,
    -- 1, 2, ... in the primary key; NULL outside it.
    key_position INTEGER,
    first_seen_run INTEGER NOT NULL,
    PRIMARY KEY (stream_id, position),
    UNIQUE (stream_id, path)
) STRICT, WITHOUT ROWID;

-- Every column that came, and every type that was widened.
CREATE TABLE _garner_schema_changes (
    change_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    column_name TEXT NOT NULL,
    old_type TEXT,
    new_type TEXT
) STRICT;

CREATE TABLE _garner_runs (
    run_id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- The run that began the read which this run continues; its own number where it began one.
    read_id INTEGER NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled', 'skipped', 'interrupted')),
    nominal_at TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    -- Whether the read reached its last page.
    is_complete INTEGER NOT NULL DEFAULT 0 CHECK (is_complete IN (0, 1)),
    pages INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    not_modified INTEGER NOT NULL DEFAULT 0,
    inserted INTEGER NOT NULL DEFAULT 0,
    updated INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    quarantined INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    warning TEXT,
    error_code INTEGER,
    error_kind TEXT,
    error_message TEXT,
    error_url TEXT,
    error_hint TEXT
) STRICT;

CREATE INDEX _garner_runs_by_stream ON _garner_runs (stream_id, run_id);

-- A nominal instant is run once; only a run that died may be run again.
CREATE UNIQUE INDEX _garner_runs_by_instant ON _garner_runs (stream_id, nominal_at)
WHERE nominal_at IS NOT NULL AND status <> 'interrupted';

-- Where an unfinished read goes on.
CREATE TABLE _garner_checkpoints (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    read_id INTEGER NOT NULL,
    -- What the read is made from: a read that would now be another one does not go on.
    identity TEXT NOT NULL,
    next_position TEXT NOT NULL,
    saved_at TEXT NOT NULL
) STRICT;

-- The pages of streams that delete what is missing, and the read that saw each last.
CREATE TABLE _garner_pages (
    page_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    position TEXT NOT NULL,
    read_id INTEGER NOT NULL,
    -- A hash of the keys of its records: while it stays, so do its members.
    keys_hash INTEGER,
    UNIQUE (stream_id, position)
) STRICT;

-- The records that each of these pages holds.
CREATE TABLE _garner_members (
    page_id INTEGER NOT NULL REFERENCES _garner_pages (page_id),
    record_key ANY NOT NULL,
    PRIMARY KEY (page_id, record_key)
) STRICT, WITHOUT ROWID;

-- What each run after the first read that ended did. A composite key is a JSON array.
CREATE TABLE _garner_changes (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    record_key ANY NOT NULL,
    operation TEXT NOT NULL CHECK (operation IN ('insert', 'update', 'delete')),
    PRIMARY KEY (stream_id, run_id, record_key)
) STRICT, WITHOUT ROWID;

-- Records that could not be stored as they are, with the reason; one row a record, however often it came.
CREATE TABLE _garner_quarantine (
    quarantine_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- The latest run that met it.
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    url TEXT NOT NULL,
    reason TEXT NOT NULL,
    record TEXT NOT NULL,
    record_hash INTEGER NOT NULL,
    times INTEGER NOT NULL DEFAULT 1,
    quarantined_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    UNIQUE (stream_id, record_hash)
) STRICT;

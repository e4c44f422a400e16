-- What all migrations make of an empty database. script/schema writes this file; do not edit it.
CREATE TABLE _garner_migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT;
CREATE TABLE _garner_streams (
    stream_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    table_name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    -- The run that ended the first read. Rows without an entry in _garner_changes came with it or before.
    baseline_run INTEGER REFERENCES _garner_runs (run_id)
, pages_are_apart INTEGER NOT NULL DEFAULT 0, is_touched INTEGER NOT NULL DEFAULT 0, follows_as_before INTEGER NOT NULL DEFAULT 0 CHECK (follows_as_before IN (0, 1)), paging_place_identity TEXT, whole_identity TEXT, first_records BLOB, full_read_at TEXT, full_read_identity TEXT, parent_through INTEGER, full_page INTEGER, kept_rows INTEGER, kept_since TEXT, answer_shape TEXT, repeated_keys BLOB) STRICT;
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
    first_seen_run INTEGER NOT NULL, odd_since INTEGER, number_type TEXT, odd_count INTEGER, value_count INTEGER, odd_examples TEXT, emptied_rows INTEGER,
    PRIMARY KEY (stream_id, position),
    UNIQUE (stream_id, path)
) STRICT, WITHOUT ROWID;
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
, discarded INTEGER NOT NULL DEFAULT 0, is_retry INTEGER NOT NULL DEFAULT 0 CHECK (is_retry IN (0, 1)), trigger TEXT NOT NULL DEFAULT 'manual' CHECK (trigger IN ('schedule', 'manual')), due_at TEXT, was_stopped INTEGER NOT NULL DEFAULT 0 CHECK (was_stopped IN (0, 1)), error_is_permanent INTEGER NOT NULL DEFAULT 0 CHECK (error_is_permanent IN (0, 1)), skip_first TEXT, skip_count INTEGER, verdict TEXT
CHECK (verdict IN ('complete', 'document', 'silent', 'contradicted', 'chosen', 'missed')), completeness TEXT AS (
    CASE
        WHEN verdict IN ('complete', 'document') THEN 'complete'
        WHEN verdict IN ('silent', 'contradicted') THEN 'unknown'
        WHEN verdict IN ('chosen', 'missed') THEN 'partial'
    END
) VIRTUAL, completeness_reason TEXT, times_not_begun INTEGER) STRICT;
CREATE INDEX _garner_runs_by_stream ON _garner_runs (stream_id, run_id);
CREATE TABLE _garner_pages (
    page_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    position TEXT NOT NULL,
    read_id INTEGER NOT NULL,
    -- A hash of the keys of its records: while it stays, so do its members.
    validator TEXT, summary TEXT, scope TEXT, record_count INTEGER NOT NULL DEFAULT 0, fingerprint TEXT, has_members INTEGER NOT NULL DEFAULT 0, keys_digest TEXT, bindings TEXT,
    UNIQUE (stream_id, position)
) STRICT;
CREATE TABLE _garner_members (
    page_id INTEGER NOT NULL REFERENCES _garner_pages (page_id),
    record_key ANY NOT NULL,
    PRIMARY KEY (page_id, record_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_requests (
    request_id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    sent_at TEXT NOT NULL,
    url TEXT NOT NULL,
    -- Of the last response; NULL where none came.
    status INTEGER,
    attempts INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    not_modified INTEGER NOT NULL CHECK (not_modified IN (0, 1)),
    -- How many requests the server said it would still take; NULL where it said nothing.
    rate_limit_remaining INTEGER,
    -- Why the page did not come in; NULL where it did.
    error_kind TEXT
) STRICT;
CREATE INDEX _garner_requests_by_run ON _garner_requests (run_id);
CREATE TABLE _garner_reads (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    -- The run that began it.
    read_id INTEGER NOT NULL,
    -- What the read is made from: a read that would now be another one does not go on.
    identity TEXT NOT NULL,
    -- No cursor passes this: what changed later may be on a page that was read before.
    began_at TEXT NOT NULL,
    saved_at TEXT NOT NULL,
    -- Why what was read is not all that there is; NULL while it is.
    verdict TEXT NOT NULL DEFAULT 'complete'
CHECK (verdict IN ('complete', 'document', 'silent', 'contradicted', 'chosen', 'missed')), verdict_reason TEXT, is_full INTEGER NOT NULL DEFAULT 0 CHECK (is_full IN (0, 1)), parent_through INTEGER) STRICT;
CREATE TABLE _garner_slices (
    slice_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- A JSON object of placeholders' names and values; {} where the stream has none.
    bindings TEXT NOT NULL,
    -- A JSON object of the parent's fields that are stored with the slice's records.
    added TEXT,
    -- Where the slice goes on; NULL for its first page.
    next_position TEXT,
    -- The greatest cursor on the pages that were read.
    watermark TEXT,
    UNIQUE (stream_id, bindings)
) STRICT;
CREATE TABLE _garner_cursors (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    bindings TEXT NOT NULL,
    -- A cursor of another read than this one says nothing.
    identity TEXT NOT NULL,
    value TEXT NOT NULL,
    moved_at TEXT NOT NULL,
    PRIMARY KEY (stream_id, bindings)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_blobs (
    -- In 64 lowercase hexadecimal digits.
    sha256 TEXT PRIMARY KEY,
    media_type TEXT NOT NULL,
    length INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE TABLE _garner_attachments (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    field TEXT NOT NULL,
    -- As it stands in the record.
    url TEXT NOT NULL,
    -- The file as it last came in; NULL while it never did.
    sha256 TEXT REFERENCES _garner_blobs (sha256),
    -- What the server calls that state of it. Only for the configuration and the credential that `scope` is a hash of.
    validator TEXT,
    scope TEXT,
    -- The latest read and run that asked for it.
    read_id INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    asked_at TEXT NOT NULL,
    -- Why it did not come in then; NULL where it did.
    error_kind TEXT,
    error_message TEXT,
    PRIMARY KEY (stream_id, field, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX _garner_attachments_by_blob ON _garner_attachments (sha256);
CREATE TABLE _garner_staged (
    staged_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- Those of the slice that it is a page of.
    bindings TEXT NOT NULL,
    position TEXT NOT NULL,
    url TEXT NOT NULL,
    -- A JSON object of what is stored with each of its records.
    added TEXT,
    -- One record a line; NULL for a page that has not changed since it was stored.
    records TEXT,
    record_count INTEGER NOT NULL,
    -- A hash of the records; NULL where nobody compares it.
    validator TEXT,
    fingerprint TEXT,
    summary TEXT,
    scope TEXT NOT NULL
, records_digest TEXT) STRICT;
CREATE INDEX _garner_staged_by_slice ON _garner_staged (stream_id, bindings);
CREATE TABLE _garner_replacements (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    read_id INTEGER NOT NULL,
    -- What it made of a table without a key; NULL where records were left out, or the table has a key.
    row_count INTEGER
, content_digest TEXT) STRICT;
CREATE TABLE _garner_children (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    parent_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- Where the array is in the parent's record, as in _garner_columns.
    path TEXT NOT NULL,
    UNIQUE (parent_id, path)
) STRICT;
CREATE TABLE _garner_histories (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    since TEXT NOT NULL,
    -- NULL: they are kept.
    until TEXT CHECK (until >= since),
    PRIMARY KEY (stream_id, since)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_schedules (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    -- The latest nominal instant that was run to its end or skipped.
    settled_at TEXT,
    -- The end of the latest run.
    ended_at TEXT,
    -- Failed runs in a row, and those of them that will fail again as long as nobody changes something.
    failures INTEGER NOT NULL DEFAULT 0,
    permanent_failures INTEGER NOT NULL DEFAULT 0,
    circuit_opened_at TEXT,
    -- No run is started before but by a person.
    held_until TEXT,
    hold_reason TEXT,
    -- NULL: runs are started.
    paused_at TEXT,
    next_due_at TEXT
, overdue_told_at TEXT) STRICT;
CREATE TABLE _garner_triggers (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    request_id TEXT NOT NULL,
    requested_at TEXT NOT NULL,
    -- Whether it begins with the first page even where an earlier read was not finished, and after how many pages it ends.
    restarts INTEGER NOT NULL DEFAULT 0 CHECK (restarts IN (0, 1)),
    maximum_pages INTEGER CHECK (maximum_pages > 0),
    -- NULL until it begins.
    run_id INTEGER REFERENCES _garner_runs (run_id),
    PRIMARY KEY (stream_id, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX _garner_triggers_by_run ON _garner_triggers (run_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX _garner_runs_by_instant ON _garner_runs (stream_id, nominal_at)
WHERE nominal_at IS NOT NULL AND status <> 'interrupted' AND was_stopped = 0;
CREATE INDEX _garner_runs_that_run ON _garner_runs (stream_id) WHERE status = 'running';
CREATE TABLE _garner_hash_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL CHECK (length(secret) = 192)
) STRICT;
CREATE TABLE "_garner_quarantine" (
    quarantine_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- The latest run that met it.
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    url TEXT NOT NULL,
    reason TEXT NOT NULL,
    record TEXT NOT NULL,
    -- A JSON object of the parent's fields that are stored with the record.
    added TEXT,
    -- Of the record and the parent's fields, in 32 hexadecimal digits; NULL until the stream's next record comes here.
    record_digest TEXT,
    times INTEGER NOT NULL DEFAULT 1,
    quarantined_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    UNIQUE (stream_id, record_digest)
) STRICT;
CREATE TABLE _garner_due_slices (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    bindings TEXT NOT NULL,
    PRIMARY KEY (stream_id, bindings)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_record_hashes (
    page_id INTEGER PRIMARY KEY REFERENCES _garner_pages (page_id) ON DELETE CASCADE,
    shape INTEGER NOT NULL,
    hashes BLOB NOT NULL
) STRICT;
CREATE TABLE "_garner_changes" (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    record_key ANY NOT NULL,
    operation TEXT NOT NULL CHECK (operation = 'insert' OR operation = 'update' OR operation = 'delete'),
    PRIMARY KEY (stream_id, run_id, record_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_named_fields (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- The names from the record to the field, with dots between them.
    field TEXT NOT NULL,
    is_seen INTEGER NOT NULL CHECK (is_seen IN (0, 1)),
    PRIMARY KEY (stream_id, field)
) STRICT, WITHOUT ROWID;
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
INSERT INTO _garner_hash_key (id, secret) VALUES (1, randomblob(192));

-- The unfinished read of a stream.
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
    omission TEXT
) STRICT;

-- What is left to be read: one row for each filling of the request's placeholders. It goes with its last page.
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

-- Behind what the next read of a slice begins.
CREATE TABLE _garner_cursors (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    bindings TEXT NOT NULL,
    -- A cursor of another read than this one says nothing.
    identity TEXT NOT NULL,
    value TEXT NOT NULL,
    moved_at TEXT NOT NULL,
    PRIMARY KEY (stream_id, bindings)
) STRICT, WITHOUT ROWID;

INSERT INTO _garner_reads (stream_id, read_id, identity, began_at, saved_at)
SELECT stream_id, read_id, identity, saved_at, saved_at FROM _garner_checkpoints;

INSERT INTO _garner_slices (stream_id, bindings, next_position)
SELECT stream_id, '{}', next_position FROM _garner_checkpoints;

DROP TABLE _garner_checkpoints;

-- The pages of an unfinished read whose stream replaces its table, as they came in.
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
    records_hash INTEGER,
    validator TEXT,
    fingerprint TEXT,
    summary TEXT,
    scope TEXT NOT NULL
) STRICT;

CREATE INDEX _garner_staged_by_slice ON _garner_staged (stream_id, bindings);

-- The latest read that replaced its stream's table.
CREATE TABLE _garner_replacements (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    read_id INTEGER NOT NULL,
    -- What it made of a table without a key; NULL where records were left out, or the table has a key.
    content_hash INTEGER,
    row_count INTEGER
) STRICT;

-- Files that records point to, each content once.
CREATE TABLE _garner_blobs (
    -- In 64 lowercase hexadecimal digits.
    sha256 TEXT PRIMARY KEY,
    media_type TEXT NOT NULL,
    length INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;

-- What became of each URL in a field of a stream's records: the field's column in the record leads here, and the digest
-- to the file.
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

-- Random bits of this database's own. They enter every hash of keys and records, so that nobody who does not know them can
-- prepare two that have the same one.
CREATE TABLE _garner_hash_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL CHECK (length(secret) = 192)
) STRICT;

INSERT INTO _garner_hash_key (id, secret) VALUES (1, randomblob(192));

-- keys_hash was a sum, which different keys of several parts could share. What was noted by it may be wrong: the records of
-- each page are noted anew, which takes that each page is read once more. That also brings back what a widened column had
-- respelled on pages that did not change.
ALTER TABLE _garner_pages DROP COLUMN keys_hash;

-- Of the keys of its records in their order, in 32 hexadecimal digits.
ALTER TABLE _garner_pages ADD COLUMN keys_digest TEXT;

UPDATE _garner_pages SET has_members = 0, validator = NULL, fingerprint = NULL, summary = NULL;
DELETE FROM _garner_members;
UPDATE _garner_streams SET pages_are_apart = 0;

-- A read whose pages wait to replace a table counts on members of pages that did not change: it begins anew.
DELETE FROM _garner_slices WHERE stream_id IN (SELECT stream_id FROM _garner_staged);
DELETE FROM _garner_reads WHERE stream_id IN (SELECT stream_id FROM _garner_staged);
DELETE FROM _garner_staged;
ALTER TABLE _garner_staged DROP COLUMN records_hash;

-- Of the records; NULL where nobody compares it.
ALTER TABLE _garner_staged ADD COLUMN records_digest TEXT;

-- What the latest replacement made of a table without a key, in 32 hexadecimal digits; NULL where records were left out, or
-- the table has a key.
ALTER TABLE _garner_replacements DROP COLUMN content_hash;
ALTER TABLE _garner_replacements ADD COLUMN content_digest TEXT;

-- The same table, but that a record is known by more than 64 bits that anyone can compute.
CREATE TABLE _garner_quarantine_anew (
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

INSERT INTO _garner_quarantine_anew
(quarantine_id, stream_id, run_id, url, reason, record, added, times, quarantined_at, last_seen_at)
SELECT quarantine_id, stream_id, run_id, url, reason, record, added, times, quarantined_at, last_seen_at
FROM _garner_quarantine;

DROP TABLE _garner_quarantine;
ALTER TABLE _garner_quarantine_anew RENAME TO _garner_quarantine;

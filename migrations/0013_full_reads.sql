-- When the latest read of everything began, for streams whose reads usually cover a part of it, and what it was made from: a
-- read that is made from something else knows nothing of it.
ALTER TABLE _garner_streams ADD COLUMN full_read_at TEXT;
ALTER TABLE _garner_streams ADD COLUMN full_read_identity TEXT;

-- The parent's run up to which its changes have been followed by requests for the children.
ALTER TABLE _garner_streams ADD COLUMN parent_through INTEGER;

-- Whether the unfinished read covers everything, and the parent's run up to which it follows changes. Reads of earlier
-- versions say neither.
ALTER TABLE _garner_reads ADD COLUMN is_full INTEGER NOT NULL DEFAULT 0 CHECK (is_full IN (0, 1));
ALTER TABLE _garner_reads ADD COLUMN parent_through INTEGER;

-- The slices that a read has left behind, which are due beside those of changed parents.
CREATE TABLE _garner_due_slices (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    bindings TEXT NOT NULL,
    PRIMARY KEY (stream_id, bindings)
) STRICT, WITHOUT ROWID;

-- The slice of the page, for streams with a parent. NULL for others, and for pages that an earlier version read.
ALTER TABLE _garner_pages ADD COLUMN bindings TEXT;

-- The tables of arrays: one row a stream that is a field of another stream's records.
CREATE TABLE _garner_children (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    parent_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- Where the array is in the parent's record, as in _garner_columns.
    path TEXT NOT NULL,
    UNIQUE (parent_id, path)
) STRICT;

-- The times in which versions of a stream's rows were kept, in a table _garner_history_ and its own table's name.
CREATE TABLE _garner_histories (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    since TEXT NOT NULL,
    -- NULL: they are kept.
    until TEXT CHECK (until >= since),
    PRIMARY KEY (stream_id, since)
) STRICT, WITHOUT ROWID;

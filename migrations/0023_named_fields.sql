-- The fields of records that the configuration names, once a stream's reads have looked for them in all its pages. What no record has had is
-- told until one has it.
CREATE TABLE _garner_named_fields (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- The names from the record to the field, with dots between them.
    field TEXT NOT NULL,
    is_seen INTEGER NOT NULL CHECK (is_seen IN (0, 1)),
    PRIMARY KEY (stream_id, field)
) STRICT, WITHOUT ROWID;

-- A list of three values in a CHECK is put into a table of its own each time that a row is stored, which took as long as the rest.
CREATE TABLE _garner_changes_anew (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    record_key ANY NOT NULL,
    operation TEXT NOT NULL CHECK (operation = 'insert' OR operation = 'update' OR operation = 'delete'),
    PRIMARY KEY (stream_id, run_id, record_key)
) STRICT, WITHOUT ROWID;
INSERT INTO _garner_changes_anew (stream_id, run_id, record_key, operation)
SELECT stream_id, run_id, record_key, operation FROM _garner_changes ORDER BY stream_id, run_id, record_key;
DROP TABLE _garner_changes;
-- Otherwise a view that reads the table keeps it from getting its name back.
PRAGMA legacy_alter_table = ON;
ALTER TABLE _garner_changes_anew RENAME TO _garner_changes;
PRAGMA legacy_alter_table = OFF;

-- What of a stream's schedule outlives a process. It is written with the run that ends, in the same transaction.
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
) STRICT;

-- Runs that somebody asked for, so that the same request twice is one.
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

ALTER TABLE _garner_runs ADD COLUMN trigger TEXT NOT NULL DEFAULT 'manual' CHECK (trigger IN ('schedule', 'manual'));

-- When the run was to start: its nominal instant and the jitter.
ALTER TABLE _garner_runs ADD COLUMN due_at TEXT;

-- Whether it ended since the program was told to end.
ALTER TABLE _garner_runs ADD COLUMN was_stopped INTEGER NOT NULL DEFAULT 0 CHECK (was_stopped IN (0, 1));

-- Whether it will fail again as long as nobody changes something.
ALTER TABLE _garner_runs ADD COLUMN error_is_permanent INTEGER NOT NULL DEFAULT 0 CHECK (error_is_permanent IN (0, 1));

-- Of skipped instants, the last of which is nominal_at: the first one, and how many they are.
ALTER TABLE _garner_runs ADD COLUMN skip_first TEXT;
ALTER TABLE _garner_runs ADD COLUMN skip_count INTEGER;

UPDATE _garner_runs SET trigger = 'schedule' WHERE nominal_at IS NOT NULL;

-- A nominal instant is run once; only a run that died, or that the end of the program has ended, may be run again.
DROP INDEX _garner_runs_by_instant;
CREATE UNIQUE INDEX _garner_runs_by_instant ON _garner_runs (stream_id, nominal_at)
WHERE nominal_at IS NOT NULL AND status <> 'interrupted' AND was_stopped = 0;

CREATE INDEX _garner_runs_that_run ON _garner_runs (stream_id) WHERE status = 'running';

INSERT INTO _garner_schedules (stream_id, settled_at, ended_at, failures)
SELECT
    stream_id,
    max(CASE WHEN status IN ('succeeded', 'failed', 'cancelled', 'skipped') THEN nominal_at END),
    max(CASE WHEN status <> 'skipped' THEN ended_at END),
    (
        SELECT count(*) FROM _garner_runs AS failed
        WHERE failed.stream_id = run.stream_id AND failed.status = 'failed' AND NOT failed.is_retry
        AND failed.run_id > coalesce((
            SELECT max(good.run_id) FROM _garner_runs AS good
            WHERE good.stream_id = run.stream_id AND good.status = 'succeeded' AND NOT good.is_retry), 0)
    )
FROM _garner_runs AS run
GROUP BY stream_id
HAVING max(nominal_at) IS NOT NULL;

-- How the run's read ended: from all that was asked for to what is known to be missing. NULL for a run that ended no read,
-- and for one of an earlier version.
ALTER TABLE _garner_runs ADD COLUMN verdict TEXT
CHECK (verdict IN ('complete', 'document', 'silent', 'contradicted', 'chosen', 'missed'));

-- How much of what was asked for has come: complete, unknown or partial. is_complete is 1 where it is complete.
ALTER TABLE _garner_runs ADD COLUMN completeness TEXT AS (
    CASE
        WHEN verdict IN ('complete', 'document') THEN 'complete'
        WHEN verdict IN ('silent', 'contradicted') THEN 'unknown'
        WHEN verdict IN ('chosen', 'missed') THEN 'partial'
    END
) VIRTUAL;

-- A phrase such as "40 of 800 records"; NULL where nothing is missing.
ALTER TABLE _garner_runs ADD COLUMN completeness_reason TEXT;

-- The same of a read that goes on, as far as it has come: the worst of its slices.
ALTER TABLE _garner_reads ADD COLUMN verdict TEXT NOT NULL DEFAULT 'complete'
CHECK (verdict IN ('complete', 'document', 'silent', 'contradicted', 'chosen', 'missed'));
ALTER TABLE _garner_reads ADD COLUMN verdict_reason TEXT;
UPDATE _garner_reads SET
    verdict = CASE omission WHEN '' THEN 'chosen' ELSE 'missed' END,
    verdict_reason = nullif(omission, '')
WHERE omission IS NOT NULL;
ALTER TABLE _garner_reads DROP COLUMN omission;

-- Whether the stream's table was made by a version that followed fewer pagings unasked: it goes on as it was.
ALTER TABLE _garner_streams ADD COLUMN follows_as_before INTEGER NOT NULL DEFAULT 0 CHECK (follows_as_before IN (0, 1));
UPDATE _garner_streams SET follows_as_before = 1
WHERE stream_id IN (SELECT stream_id FROM _garner_columns);

-- What the latest read was made from that met the place at which its paginator looks for the next page, and that ended
-- without a sign of more. A read that is made from something else has seen neither.
ALTER TABLE _garner_streams ADD COLUMN paging_place_identity TEXT;
ALTER TABLE _garner_streams ADD COLUMN whole_identity TEXT;

-- Of a table that gets a row for each record, the records of the first page: 64 bits of each record's hash.
ALTER TABLE _garner_streams ADD COLUMN first_records BLOB;

-- What was remembered of pages does not say whether there are more: each is asked for once more.
UPDATE _garner_pages SET validator = NULL, fingerprint = NULL, summary = NULL;
UPDATE _garner_staged SET validator = NULL, fingerprint = NULL, summary = NULL;

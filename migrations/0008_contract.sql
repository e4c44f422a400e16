-- Records that schema_contract left out.
ALTER TABLE _garner_runs ADD COLUMN discarded INTEGER NOT NULL DEFAULT 0;

-- Whether the run fetched nothing, but loaded records from quarantine.
ALTER TABLE _garner_runs ADD COLUMN is_retry INTEGER NOT NULL DEFAULT 0 CHECK (is_retry IN (0, 1));

-- A JSON object of the parent's fields that are stored with the record.
ALTER TABLE _garner_quarantine ADD COLUMN added TEXT;

-- What the server calls the stored state of a page, and what following pages need to know of it: with these the server
-- may answer that the page has not changed. Only for the configuration and the credential that `scope` is a hash of.
ALTER TABLE _garner_pages ADD COLUMN validator TEXT;
ALTER TABLE _garner_pages ADD COLUMN summary TEXT;
ALTER TABLE _garner_pages ADD COLUMN scope TEXT;
ALTER TABLE _garner_pages ADD COLUMN record_count INTEGER NOT NULL DEFAULT 0;

-- One row a page that was asked for, with its retries and redirects; URLs are without secrets.
CREATE TABLE _garner_requests (
    request_id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    sent_at TEXT NOT NULL,
    url TEXT NOT NULL,
    -- Of the last response; NULL where none came.
    status INTEGER,
    attempts INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    not_modified INTEGER NOT NULL CHECK (not_modified IN (0, 1)),
    -- How many requests the server said it would still take; NULL where it said nothing.
    rate_limit_remaining INTEGER,
    -- Why the page did not come in; NULL where it did.
    error_kind TEXT
) STRICT;

CREATE INDEX _garner_requests_by_run ON _garner_requests (run_id);

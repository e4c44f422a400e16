-- What was remembered of pages does not say what an answer says against itself: each is asked for once more.
UPDATE _garner_pages SET validator = NULL, fingerprint = NULL, summary = NULL;
UPDATE _garner_staged SET validator = NULL, fingerprint = NULL, summary = NULL;

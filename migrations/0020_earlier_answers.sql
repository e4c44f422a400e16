-- What the stream's latest page with records has shown: where the records stood, and what the answer said beside them, as JSON. A later
-- answer without records is compared with it. NULL while there is none.
ALTER TABLE _garner_streams ADD COLUMN answer_shape TEXT;
-- The inferred keys that came with several contents in the latest read, eight bytes of hash each; NULL if there were none.
ALTER TABLE _garner_streams ADD COLUMN repeated_keys BLOB;

-- What was remembered of pages does not say what an answer says against itself: each is asked for once more.
UPDATE _garner_pages SET validator = NULL, fingerprint = NULL, summary = NULL;
UPDATE _garner_staged SET validator = NULL, fingerprint = NULL, summary = NULL;

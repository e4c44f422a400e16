-- The rows that the latest read of everything found missing from the source and did not delete, as they were more than one run deletes,
-- and since when there have been some; NULL if there are none.
ALTER TABLE _garner_streams ADD COLUMN kept_rows INTEGER;
ALTER TABLE _garner_streams ADD COLUMN kept_since TEXT;

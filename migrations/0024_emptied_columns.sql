-- The number of rows that had a value in a column when a whole read first brought no record with its member; NULL otherwise. It is told until
-- a record has the member again.
ALTER TABLE _garner_columns ADD COLUMN emptied_rows INTEGER;

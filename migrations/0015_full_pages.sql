-- The number of records on a first page that led to another one, when the latest read of paging_place_identity met it. A later
-- first page with as many that leads nowhere does not say that it is the last.
ALTER TABLE _garner_streams ADD COLUMN full_page INTEGER;

-- Of the body of a page, in 32 hexadecimal digits: the same body again need not be parsed.
ALTER TABLE _garner_pages ADD COLUMN fingerprint TEXT;

-- Whether the page's records are noted in _garner_members. From now on keys_hash is there for other pages too, and is
-- another hash than before: those that are there say nothing, and the members are noted anew.
ALTER TABLE _garner_pages ADD COLUMN has_members INTEGER NOT NULL DEFAULT 0;

-- Whether no record is known to be on two of the stream's pages: otherwise what a page holds may be what another has
-- overwritten, and every page is read again.
ALTER TABLE _garner_streams ADD COLUMN pages_are_apart INTEGER NOT NULL DEFAULT 0;

-- Whether someone else has changed rows of the stream's table: triggers of the table set it, runs clear it.
ALTER TABLE _garner_streams ADD COLUMN is_touched INTEGER NOT NULL DEFAULT 0;

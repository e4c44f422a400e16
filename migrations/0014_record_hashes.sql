-- The hashes of a page's records when they were last stored, 8 bytes each, in the page's order. They hold while the page is
-- remembered, and while the table has the columns of this shape.
CREATE TABLE _garner_record_hashes (
    page_id INTEGER PRIMARY KEY REFERENCES _garner_pages (page_id) ON DELETE CASCADE,
    shape INTEGER NOT NULL,
    hashes BLOB NOT NULL
) STRICT;

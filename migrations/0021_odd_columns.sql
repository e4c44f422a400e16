-- What columns have beside the values of their kind, which is told until it is settled.
-- The run in which a column first had such values; NULL while it has none.
ALTER TABLE _garner_columns ADD COLUMN odd_since INTEGER;
-- The type of the other values, for a column that became TEXT; NULL for one whose odd values are set aside in _garner_rest.
ALTER TABLE _garner_columns ADD COLUMN number_type TEXT;
-- The number of odd values, and of all values; NULL from the first change of a row until the end of its run.
ALTER TABLE _garner_columns ADD COLUMN odd_count INTEGER;
ALTER TABLE _garner_columns ADD COLUMN value_count INTEGER;
-- A few of the odd values as JSON, in a list.
ALTER TABLE _garner_columns ADD COLUMN odd_examples TEXT;

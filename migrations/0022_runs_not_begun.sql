-- How often in a row a run could not begin for the same reason, such as a variable that is not set: one row stands for all of them, from
-- its start to its end. NULL for a run that began.
ALTER TABLE _garner_runs ADD COLUMN times_not_begun INTEGER;

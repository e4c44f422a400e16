-- A total in the head of a response may change while the validator of its body stays. Such pages have no validator any more; which of
-- the remembered totals came from a head is not known.
UPDATE _garner_pages SET validator = NULL WHERE summary LIKE '%"total%';

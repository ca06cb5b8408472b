-- Person and reason of the decision that an unreadable fact needs no action. The server no longer counts the fact as
-- quarantined.
ALTER TABLE fact_aside ADD COLUMN settled_by text, ADD COLUMN settled_why text, ADD COLUMN settled_at timestamptz;

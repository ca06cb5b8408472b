-- Of a fact that nobody will ever read: who looked at it, and why nothing has to be done. It is counted no more.
ALTER TABLE fact_aside ADD COLUMN settled_by text, ADD COLUMN settled_why text, ADD COLUMN settled_at timestamptz;

-- seen_at is the last heartbeat. A lane that greets and never comes so far is missed from when it was first known.
ALTER TABLE lane ADD COLUMN known_since timestamptz NOT NULL DEFAULT now();

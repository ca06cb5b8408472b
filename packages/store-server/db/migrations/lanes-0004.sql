-- `seen_at` is the time of the last heartbeat. A lane without a heartbeat is reported as missing since `known_since`.
ALTER TABLE lane ADD COLUMN known_since timestamptz NOT NULL DEFAULT now();

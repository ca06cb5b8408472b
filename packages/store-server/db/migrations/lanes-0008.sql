-- Fingerprint of the key for nonces and stream proofs of the servers, never the key itself. No lane has that key.
CREATE TABLE proof_key (
  id          integer PRIMARY KEY CHECK (id = 1),
  fingerprint text NOT NULL
);

-- A lane proved that a stream has more facts than this database. put_back: the store has awaited the stream since a
-- restore; false: only because of the claim of `claimed_by`. Rows from before this migration are true.
ALTER TABLE stream_awaited ADD COLUMN put_back boolean NOT NULL DEFAULT true,
  ADD COLUMN claimed_by text, ADD COLUMN claimed_at timestamptz;

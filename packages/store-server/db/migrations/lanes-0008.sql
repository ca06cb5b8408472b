-- Which key makes the nonces and the stream proofs of the servers: its fingerprint, never the key. No lane has that
-- key.
CREATE TABLE proof_key (
  id          integer PRIMARY KEY CHECK (id = 1),
  fingerprint text NOT NULL
);

-- A lane with a proof says that a stream went further: it is awaited for that claim alone where it was not when the
-- database was put back. What was awaited before this stays so.
ALTER TABLE stream_awaited ADD COLUMN put_back boolean NOT NULL DEFAULT true,
  ADD COLUMN claimed_by text, ADD COLUMN claimed_at timestamptz;

-- Which key makes the nonces and the stream proofs of the servers: its fingerprint, never the key. No lane has that key.
CREATE TABLE proof_key (
  id          integer PRIMARY KEY CHECK (id = 1),
  fingerprint text NOT NULL
);

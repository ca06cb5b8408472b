-- readable from: 1
-- E-mails with receipts. `message` is sealed and contains the address; it is deleted when the e-mail has ended.
CREATE TABLE receipt_delivery (
  id       TEXT PRIMARY KEY,
  sale_id  TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  asked_by TEXT NOT NULL,
  state    TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
  tries    INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
  next_at  INTEGER,                                -- time of the next try; NULL: ended
  problem  TEXT CHECK (problem <> ''),             -- of the last try
  message  BLOB,
  ended_at INTEGER,
  seen_by  TEXT,                                   -- manager who has seen the failure
  CHECK ((state = 'waiting') = (message IS NOT NULL)),
  CHECK ((state = 'waiting') = (next_at IS NOT NULL)),
  CHECK ((state = 'waiting') = (ended_at IS NULL))
) STRICT;
CREATE INDEX receipt_delivery_due ON receipt_delivery (next_at) WHERE state = 'waiting';
CREATE INDEX receipt_delivery_of_sale ON receipt_delivery (sale_id);
CREATE INDEX receipt_delivery_ended ON receipt_delivery (ended_at) WHERE state <> 'waiting';

-- Links to receipts online, until they expire. `handed_over_at` NULL: the store server does not have the receipt yet.
CREATE TABLE receipt_link (
  sale_id        TEXT PRIMARY KEY,
  token          TEXT NOT NULL CHECK (length(token) = 27),
  expires_at     INTEGER NOT NULL,
  handed_over_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX receipt_link_waiting ON receipt_link (expires_at) WHERE handed_over_at IS NULL;
CREATE INDEX receipt_link_expiry ON receipt_link (expires_at);

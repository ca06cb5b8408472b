-- Times are epoch milliseconds. Nothing in here opens anything: what a code brings is sealed by the code itself.
CREATE TABLE enrolment_code (
  id TEXT PRIMARY KEY CHECK (length(id) = 5),
  store TEXT NOT NULL,
  lane TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  proof_hash BLOB NOT NULL CHECK (length(proof_hash) = 32),
  token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
  sealed BLOB,
  revoked_at INTEGER,
  exchanged_at INTEGER,
  lane_key TEXT,
  answer BLOB,
  confirmed_at INTEGER,
  -- An exchanged code holds its payload no more, and is some lane's.
  CHECK (exchanged_at IS NULL OR (sealed IS NULL AND lane_key IS NOT NULL)),
  CHECK (confirmed_at IS NULL OR (exchanged_at IS NOT NULL AND answer IS NULL))
) STRICT;
CREATE INDEX enrolment_code_of_lane ON enrolment_code (store, lane, made_at);

-- Of public parts that stand for nothing, too: they are answered as wrong ones are.
CREATE TABLE enrolment_try (
  code_id TEXT PRIMARY KEY,
  wrong INTEGER NOT NULL,
  last INTEGER NOT NULL
) STRICT;

CREATE TABLE device (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
  store TEXT NOT NULL,
  lane TEXT NOT NULL,
  lane_key TEXT NOT NULL,
  code_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX device_of_lane ON device (store, lane) WHERE revoked_at IS NULL;

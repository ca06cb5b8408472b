CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE sponsor (
  code              TEXT PRIMARY KEY,
  name_en           TEXT NOT NULL,
  name_fr           TEXT NOT NULL,
  state             TEXT NOT NULL CHECK (state IN ('active', 'expired')),
  location_required INTEGER NOT NULL CHECK (location_required IN (0, 1))
) STRICT;

CREATE TABLE location (
  sponsor_code TEXT NOT NULL REFERENCES sponsor (code),
  code         TEXT NOT NULL,
  store_id     TEXT,
  region       TEXT NOT NULL,
  time_zone    TEXT NOT NULL,
  description  TEXT NOT NULL,
  active       INTEGER NOT NULL CHECK (active IN (0, 1)),
  PRIMARY KEY (sponsor_code, code)
) STRICT;
CREATE UNIQUE INDEX location_by_store ON location (sponsor_code, store_id) WHERE store_id IS NOT NULL;

CREATE TABLE redemption_offer (
  id               TEXT PRIMARY KEY,
  type             TEXT NOT NULL CHECK (type IN ('RGL', 'SPL')),
  unit_miles       INTEGER NOT NULL CHECK (unit_miles > 0),
  unit_cents       INTEGER NOT NULL CHECK (unit_cents > 0),
  daily_unit_limit INTEGER NOT NULL CHECK (daily_unit_limit > 0),
  desc_en          TEXT NOT NULL,
  desc_fr          TEXT NOT NULL
) STRICT;

CREATE TABLE collector (
  number                   TEXT PRIMARY KEY,
  state                    TEXT NOT NULL CHECK (state IN ('active', 'closed', 'deleted')),
  balances_suppressed      INTEGER NOT NULL CHECK (balances_suppressed IN (0, 1)),
  redemption_allowed       INTEGER NOT NULL CHECK (redemption_allowed IN (0, 1)),
  offer_available          INTEGER NOT NULL CHECK (offer_available IN (0, 1)),
  redemption_offer_id      TEXT NOT NULL REFERENCES redemption_offer (id),
  cash_share_percent       INTEGER NOT NULL CHECK (cash_share_percent BETWEEN 0 AND 100),
  -- Amount in cents that the collector redeems every day at sponsors outside these services.
  redeemed_elsewhere_cents INTEGER NOT NULL,
  issuance_delayed         INTEGER NOT NULL CHECK (issuance_delayed IN (0, 1))
) STRICT;

-- Ledger. The postings of each operation sum to zero. `balance` is the sum of an account's postings, stored so that
-- reading it does not depend on the length of the history.
CREATE TABLE account (
  id               INTEGER PRIMARY KEY,
  collector_number TEXT NOT NULL,
  name             TEXT NOT NULL,
  balance          INTEGER NOT NULL DEFAULT 0,
  UNIQUE (collector_number, name)
) STRICT;

CREATE TABLE operation (
  id               INTEGER PRIMARY KEY,
  kind             TEXT NOT NULL,
  at               INTEGER NOT NULL,
  collector_number TEXT NOT NULL,
  sponsor_code     TEXT NOT NULL,
  reference        TEXT,
  idempotency_key  TEXT,
  undoes           INTEGER REFERENCES operation (id)
) STRICT;
CREATE INDEX operation_by_collector ON operation (collector_number, id);

CREATE TABLE posting (
  operation_id INTEGER NOT NULL REFERENCES operation (id),
  account_id   INTEGER NOT NULL REFERENCES account (id),
  miles        INTEGER NOT NULL CHECK (miles <> 0),
  PRIMARY KEY (operation_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX posting_by_account ON posting (account_id, operation_id);

CREATE TRIGGER posting_fixed BEFORE UPDATE ON posting BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER posting_kept BEFORE DELETE ON posting BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER operation_fixed BEFORE UPDATE ON operation BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER operation_kept BEFORE DELETE ON operation BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;

CREATE TABLE redemption (
  id                  INTEGER PRIMARY KEY,
  confirmation_number TEXT NOT NULL UNIQUE,
  operation_id        INTEGER NOT NULL REFERENCES operation (id),
  collector_number    TEXT NOT NULL,
  sponsor_code        TEXT NOT NULL,
  trace_id            TEXT NOT NULL,
  offer_id            TEXT NOT NULL,
  units               INTEGER NOT NULL,
  unit_miles          INTEGER NOT NULL,
  unit_cents          INTEGER NOT NULL,
  program_day         TEXT NOT NULL,
  transacted_at       INTEGER NOT NULL,
  time_zone           TEXT NOT NULL,
  state               TEXT NOT NULL CHECK (state IN ('applied', 'reversed', 'cancelled'))
) STRICT;
CREATE INDEX redemption_by_day ON redemption (collector_number, program_day);

CREATE TABLE issuance_offer (
  sponsor_code   TEXT NOT NULL REFERENCES sponsor (code),
  code           TEXT NOT NULL,
  offer_id       TEXT NOT NULL,
  description_en TEXT NOT NULL,
  description_fr TEXT NOT NULL,
  rule           TEXT NOT NULL,
  valid_from     INTEGER NOT NULL,
  valid_to       INTEGER NOT NULL,
  PRIMARY KEY (sponsor_code, code)
) STRICT;

CREATE TABLE issuance (
  id                      INTEGER PRIMARY KEY,
  transaction_id          TEXT NOT NULL UNIQUE,
  kind                    TEXT NOT NULL,
  at                      INTEGER NOT NULL,
  sponsor_code            TEXT NOT NULL,
  collector_number        TEXT NOT NULL,
  checkout_transaction_id TEXT NOT NULL,
  original_id             INTEGER REFERENCES issuance (id),
  status                  TEXT NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'REJECTED')),
  basket                  TEXT NOT NULL,
  entries                 TEXT NOT NULL,
  idempotency_key         TEXT,
  operation_id            INTEGER REFERENCES operation (id)
) STRICT;
CREATE UNIQUE INDEX issuance_by_partner_id ON issuance (sponsor_code, kind, checkout_transaction_id);
CREATE INDEX issuance_by_original ON issuance (original_id);
CREATE INDEX issuance_pending ON issuance (id) WHERE status = 'PENDING';

CREATE TABLE recorded_transaction (
  id             INTEGER PRIMARY KEY,
  transaction_id TEXT NOT NULL UNIQUE,
  at             INTEGER NOT NULL,
  sponsor_code   TEXT NOT NULL,
  body           TEXT NOT NULL
) STRICT;

CREATE TABLE stored_answer (
  client_id   TEXT NOT NULL,
  key         TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status      INTEGER NOT NULL,
  body        BLOB NOT NULL,
  at          INTEGER NOT NULL,
  PRIMARY KEY (client_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE oidc_artifact (
  model      TEXT NOT NULL,
  id         TEXT NOT NULL,
  payload    TEXT NOT NULL,
  grant_id   TEXT,
  user_code  TEXT,
  uid        TEXT,
  expires_at INTEGER,
  PRIMARY KEY (model, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX oidc_artifact_by_grant ON oidc_artifact (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oidc_artifact_by_expiry ON oidc_artifact (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE offer (
  id       TEXT PRIMARY KEY,
  document TEXT NOT NULL
) STRICT;

-- Sales, tenders and print jobs, and the journal of every call that moves miles.
-- Money is integer cents, time is milliseconds since the Unix epoch, hashes are SHA-256.

CREATE TABLE sale (
  id                 TEXT PRIMARY KEY,
  sequence           INTEGER NOT NULL UNIQUE,
  version            INTEGER NOT NULL,
  state              TEXT NOT NULL CHECK (state IN ('open', 'completed', 'cancelled')),
  lane               TEXT NOT NULL,
  cashier_id         TEXT NOT NULL REFERENCES staff (id),
  opened_at          INTEGER NOT NULL,
  closed_at          INTEGER,
  member_last4       TEXT,
  member_entry_mode  TEXT CHECK (member_entry_mode IN ('SWIPE', 'SCAN', 'KEYED')),
  member_sealed      BLOB,
  member_hash        BLOB,
  member_state       TEXT CHECK (member_state IN ('pending', 'known', 'unknown')),
  -- What INQUIRE said that the sale still needs: redemption facts for the choice, balances for the paper receipt.
  inquiry            TEXT CHECK (inquiry IS NULL OR json_valid(inquiry)),
  CHECK ((state = 'open') = (closed_at IS NULL)),
  CHECK ((member_last4 IS NULL) = (member_sealed IS NULL))
) STRICT;
CREATE UNIQUE INDEX sale_one_open_per_lane ON sale (lane) WHERE state = 'open';

CREATE TABLE sale_line (
  sale_id          TEXT NOT NULL REFERENCES sale (id),
  number           INTEGER NOT NULL CHECK (number > 0),
  sku              TEXT NOT NULL,
  name_en          TEXT NOT NULL,
  name_fr          TEXT NOT NULL,
  quantity         INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  unit_price_cents INTEGER NOT NULL,
  tax_category     TEXT NOT NULL CHECK (tax_category IN ('standard', 'federal-only', 'zero-rated')),
  department_id    TEXT NOT NULL,
  category_id      TEXT,
  voided           INTEGER NOT NULL DEFAULT 0 CHECK (voided IN (0, 1)),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;

-- An operation is one intention to move miles: a redemption (and its reversal) or an issuance.
-- Its row is the newest state; how it came there stands in journal_entry, which only grows.
CREATE TABLE operation (
  id                  TEXT PRIMARY KEY,
  kind                TEXT NOT NULL CHECK (kind IN ('redemption', 'issuance')),
  sale_id             TEXT NOT NULL REFERENCES sale (id),
  collector_hash      BLOB NOT NULL,
  state               TEXT NOT NULL CHECK (
    (kind = 'redemption' AND state IN ('intent', 'retry', 'approved', 'declined', 'escalated', 'reversing', 'reversed', 'reversal-expired', 'reversal-escalated'))
    OR (kind = 'issuance' AND state IN ('queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated'))),
  created_at          INTEGER NOT NULL,
  changed_at          INTEGER NOT NULL,
  next_attempt_at     INTEGER,
  failures            INTEGER NOT NULL DEFAULT 0,
  approved_on_attempt INTEGER,
  units               INTEGER,
  amount_cents        INTEGER,
  miles               INTEGER,
  confirmation_number TEXT,
  trans_date_time     TEXT,
  transaction_id      TEXT,
  response_code       TEXT,
  outcome             TEXT,
  detail              TEXT
) STRICT;
CREATE INDEX operation_by_sale ON operation (sale_id, kind);
CREATE INDEX operation_open ON operation (created_at) WHERE state IN ('intent', 'retry', 'reversing', 'queued', 'sent');
CREATE INDEX operation_attention ON operation (changed_at) WHERE state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated');
CREATE INDEX operation_reconciliation ON operation (created_at) WHERE approved_on_attempt > 1;

-- The exact bytes of a call, stored before the first of them leaves, sealed because they hold a collector number.
CREATE TABLE operation_call (
  operation_id    TEXT NOT NULL REFERENCES operation (id),
  purpose         TEXT NOT NULL CHECK (purpose IN ('redeem', 'reverse', 'issue')),
  path            TEXT NOT NULL,
  idempotency_key TEXT NOT NULL UNIQUE,
  trace_id        TEXT NOT NULL,
  date_time       TEXT NOT NULL,
  request_sealed  BLOB NOT NULL,
  request_sha256  BLOB NOT NULL,
  sends           INTEGER NOT NULL DEFAULT 0,
  first_sent_at   INTEGER,
  PRIMARY KEY (operation_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_call_bytes_are_frozen BEFORE UPDATE OF path, idempotency_key, trace_id, date_time, request_sealed, request_sha256 ON operation_call
BEGIN SELECT RAISE(ABORT, 'the bytes of a call never change'); END;
-- REPLACE deletes without asking a BEFORE DELETE trigger: an insert over an existing row is refused first.
CREATE TRIGGER operation_call_is_new BEFORE INSERT ON operation_call WHEN EXISTS (SELECT 1 FROM operation_call WHERE (operation_id = NEW.operation_id AND purpose = NEW.purpose) OR idempotency_key = NEW.idempotency_key)
BEGIN SELECT RAISE(ABORT, 'a call is stored once'); END;
CREATE TRIGGER operation_call_stays BEFORE DELETE ON operation_call
BEGIN SELECT RAISE(ABORT, 'a call is never deleted'); END;

CREATE TABLE journal_entry (
  seq           INTEGER PRIMARY KEY,
  operation_id  TEXT NOT NULL REFERENCES operation (id),
  at            INTEGER NOT NULL,
  from_state    TEXT,
  to_state      TEXT NOT NULL,
  detail        TEXT NOT NULL CHECK (json_valid(detail)),
  previous_hash BLOB NOT NULL,
  hash          BLOB NOT NULL
) STRICT;
CREATE INDEX journal_entry_by_operation ON journal_entry (operation_id, seq);
CREATE TRIGGER journal_entry_is_append_only_update BEFORE UPDATE ON journal_entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_entry_is_append_only_insert BEFORE INSERT ON journal_entry WHEN NEW.seq <= (SELECT coalesce(max(seq), 0) FROM journal_entry)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_entry_is_append_only_delete BEFORE DELETE ON journal_entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

-- A negative amount gives a tender back (a cancelled sale). Cash out never exceeds cash in.
CREATE TABLE tender (
  sale_id        TEXT NOT NULL REFERENCES sale (id),
  number         INTEGER NOT NULL CHECK (number > 0),
  kind           TEXT NOT NULL CHECK (kind IN ('cash', 'card', 'miles')),
  amount_cents   INTEGER NOT NULL,
  rounding_cents INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 2),
  tendered_cents INTEGER NOT NULL,
  change_cents   INTEGER NOT NULL DEFAULT 0 CHECK (change_cents >= 0),
  reference      TEXT,
  operation_id   TEXT REFERENCES operation (id),
  at             INTEGER NOT NULL,
  PRIMARY KEY (sale_id, number),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE print_job (
  id          TEXT PRIMARY KEY,
  sale_id     TEXT NOT NULL REFERENCES sale (id),
  copy        INTEGER NOT NULL,
  document    TEXT NOT NULL CHECK (json_valid(document)),
  open_drawer INTEGER NOT NULL CHECK (open_drawer IN (0, 1)),
  state       TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'confirmed', 'unknown', 'failed')),
  -- Set before the first byte goes to the printer: a restart never prints a job that had begun.
  started_at  INTEGER,
  created_at  INTEGER NOT NULL,
  detail      TEXT
) STRICT;
CREATE INDEX print_job_by_sale ON print_job (sale_id, created_at);
CREATE INDEX print_job_open ON print_job (created_at) WHERE state = 'queued';

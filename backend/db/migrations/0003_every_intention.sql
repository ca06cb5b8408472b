-- The journal learns every call of the issuance service, not ISSUE alone, and what people did about what got stuck.

-- What an operation is meant to do; `kind` says which state machine it follows.
ALTER TABLE operation ADD COLUMN intention TEXT NOT NULL DEFAULT 'issue'
  CHECK (intention IN ('redeem', 'issue', 'return', 'record', 'post', 'post-event', 'post-reverse', 'reverse-event'));
UPDATE operation SET intention = 'redeem' WHERE kind = 'redemption';
-- A RETURN waits until the operation whose miles it takes back is final.
ALTER TABLE operation ADD COLUMN after_operation_id TEXT REFERENCES operation (id);
-- The refused operation that this one is the corrected copy of.
ALTER TABLE operation ADD COLUMN corrects_id TEXT REFERENCES operation (id);
CREATE INDEX operation_open_of_collector ON operation (collector_hash) WHERE kind = 'issuance' AND state IN ('queued', 'sent');
CREATE UNIQUE INDEX operation_corrected_once ON operation (corrects_id) WHERE corrects_id IS NOT NULL;

-- RECORD has no idempotency key: the column may be empty, for it alone.
CREATE TABLE operation_call_next (
  operation_id    TEXT NOT NULL REFERENCES operation (id),
  purpose         TEXT NOT NULL CHECK (purpose IN ('redeem', 'reverse', 'issue', 'return', 'record', 'post', 'post-event', 'post-reverse', 'reverse-event')),
  path            TEXT NOT NULL,
  idempotency_key TEXT UNIQUE CHECK ((idempotency_key IS NULL) = (purpose = 'record')),
  trace_id        TEXT NOT NULL,
  date_time       TEXT NOT NULL,
  request_sealed  BLOB NOT NULL,
  request_sha256  BLOB NOT NULL,
  sends           INTEGER NOT NULL DEFAULT 0,
  first_sent_at   INTEGER,
  PRIMARY KEY (operation_id, purpose)
) STRICT, WITHOUT ROWID;
INSERT INTO operation_call_next (operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256, sends, first_sent_at)
  SELECT operation_id, purpose, path, idempotency_key, trace_id, date_time, request_sealed, request_sha256, sends, first_sent_at FROM operation_call;
DROP TABLE operation_call;
ALTER TABLE operation_call_next RENAME TO operation_call;
CREATE TRIGGER operation_call_bytes_are_frozen BEFORE UPDATE OF path, idempotency_key, trace_id, date_time, request_sealed, request_sha256 ON operation_call
BEGIN SELECT RAISE(ABORT, 'the bytes of a call never change'); END;
-- REPLACE deletes without asking a BEFORE DELETE trigger: an insert over an existing row is refused first.
CREATE TRIGGER operation_call_is_new BEFORE INSERT ON operation_call WHEN EXISTS (SELECT 1 FROM operation_call WHERE (operation_id = NEW.operation_id AND purpose = NEW.purpose) OR idempotency_key = NEW.idempotency_key)
BEGIN SELECT RAISE(ABORT, 'a call is stored once'); END;
CREATE TRIGGER operation_call_stays BEFORE DELETE ON operation_call
BEGIN SELECT RAISE(ABORT, 'a call is never deleted'); END;

-- What a person found out about an operation that the machine gave up on. It leaves the manager's list with it; its state stays.
CREATE TABLE operation_resolution (
  operation_id TEXT PRIMARY KEY REFERENCES operation (id),
  at           INTEGER NOT NULL,
  staff_id     TEXT NOT NULL REFERENCES staff (id),
  found        TEXT NOT NULL CHECK (found IN ('not-at-centre', 'settled-with-operator', 'corrected', 'nothing-to-do')),
  note         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_resolution_keeps BEFORE UPDATE ON operation_resolution BEGIN SELECT RAISE(ABORT, 'a resolution is written once'); END;
CREATE TRIGGER operation_resolution_stays BEFORE DELETE ON operation_resolution BEGIN SELECT RAISE(ABORT, 'a resolution is written once'); END;

-- The reconciliation report of one business day, as it was sent to the service operator the first time.
CREATE TABLE reconciliation_export (
  id           INTEGER PRIMARY KEY,
  business_day TEXT NOT NULL,
  at           INTEGER NOT NULL,
  staff_id     TEXT NOT NULL REFERENCES staff (id),
  copy         INTEGER NOT NULL CHECK (copy >= 0),      -- 0: the original
  rows         INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  miles        INTEGER NOT NULL,
  sha256       BLOB NOT NULL,                           -- of the exported rows, so that a copy can be told from a changed report
  UNIQUE (business_day, copy)
) STRICT;
CREATE TRIGGER reconciliation_export_keeps BEFORE UPDATE ON reconciliation_export BEGIN SELECT RAISE(ABORT, 'an export is written once'); END;
CREATE TRIGGER reconciliation_export_stays BEFORE DELETE ON reconciliation_export BEGIN SELECT RAISE(ABORT, 'an export is written once'); END;
-- Which approvals were reported: each stands in exactly one original.
CREATE TABLE reconciliation_row (
  operation_id TEXT PRIMARY KEY REFERENCES operation (id),
  export_id    INTEGER NOT NULL REFERENCES reconciliation_export (id)
) STRICT, WITHOUT ROWID;

-- What an answer of the issuance service says of each of its entries, and what keeps coming back with it.

-- `miles` of an answered issuance are those that were confirmed. What waits at the program has earned nothing yet, and
-- what was rejected never did. NULL: the answer did not say how many.
ALTER TABLE operation ADD COLUMN pending_miles INTEGER;
ALTER TABLE operation ADD COLUMN rejected_miles INTEGER;
-- Answers of 400 that gave no code of specification 3 §7.1: the call may be tried again, so many times.
ALTER TABLE operation ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
UPDATE operation SET pending_miles = miles, miles = 0 WHERE kind = 'issuance' AND state = 'accepted' AND miles IS NOT NULL;
-- Entries that were pending under 200 were counted with the confirmed ones.
UPDATE operation SET pending_miles = told.pending, rejected_miles = told.rejected, miles = miles - told.pending
  FROM (SELECT journal_entry.seq AS seq,
      sum(CASE WHEN upper(json_extract(entry.value, '$.status')) = 'PENDING' THEN json_extract(entry.value, '$.milesAmount') ELSE 0 END) AS pending,
      sum(CASE WHEN upper(json_extract(entry.value, '$.status')) = 'REJECTED' THEN json_extract(entry.value, '$.milesAmount') ELSE 0 END) AS rejected
    FROM journal_entry, json_each(journal_entry.detail, '$.kept.issuances') AS entry WHERE to_state IN ('confirmed', 'rejected') GROUP BY journal_entry.seq) AS told
  WHERE told.seq = operation.newest_entry AND kind = 'issuance';
-- Whether an answer to a call that takes miles back signs them is not shown: here they are always negative.
UPDATE operation SET miles = 0 - abs(miles), pending_miles = 0 - abs(pending_miles), rejected_miles = 0 - abs(rejected_miles)
  WHERE intention IN ('return', 'post-reverse', 'reverse-event');

-- RECORD tells of returns without a record too (specification 3 §4.3), which belong to no sale: an operation belongs to a
-- sale or to a return. Taking a foreign key away changes nothing on the disk, so SQLite lets the text of the schema say so
-- (lang_altertable.html, section 7); a trigger keeps what the key kept.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'TEXT NOT NULL REFERENCES sale (id)', 'TEXT NOT NULL') WHERE type = 'table' AND name = 'operation';
PRAGMA writable_schema = RESET;
CREATE TRIGGER operation_belongs BEFORE INSERT ON operation
WHEN NOT EXISTS (SELECT 1 FROM sale WHERE id = NEW.sale_id) AND NOT EXISTS (SELECT 1 FROM sale_return WHERE id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed: an operation belongs to a sale or a return'); END;

-- A request that lacks what only the answer to the call before it says: the transactionId of the POST that a REVERSE
-- names (specification 3 §4.4). It becomes a row of operation_call with the arrow that sends it.
CREATE TABLE operation_draft (
  operation_id   TEXT PRIMARY KEY REFERENCES operation (id),
  path           TEXT NOT NULL,
  trace_id       TEXT NOT NULL,
  date_time      TEXT NOT NULL,
  request_sealed BLOB NOT NULL,
  request_sha256 BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_draft_is_frozen BEFORE UPDATE ON operation_draft
BEGIN SELECT RAISE(ABORT, 'a draft never changes'); END;
CREATE TRIGGER operation_draft_stays BEFORE DELETE ON operation_draft
BEGIN SELECT RAISE(ABORT, 'a draft is never deleted'); END;

-- A code of 202 that is the store's to mend stands before the manager once, however many sales meet it, until an
-- issuance shows that it is mended or the manager settles it.
CREATE TABLE issuance_notice (
  id                  INTEGER PRIMARY KEY,
  code                TEXT NOT NULL,
  subject             TEXT NOT NULL,                      -- what the code speaks of: a location, an offer code, a sponsor code, or nothing
  first_at            INTEGER NOT NULL,
  last_at             INTEGER NOT NULL,
  times               INTEGER NOT NULL CHECK (times > 0),
  newest_operation_id TEXT NOT NULL REFERENCES operation (id),
  ended_at            INTEGER,
  ended_by            TEXT REFERENCES staff (id),         -- NULL while it stands, and where an issuance ended it
  note                TEXT,
  CHECK (ended_at IS NOT NULL OR (ended_by IS NULL AND note IS NULL)),
  CHECK ((ended_by IS NULL) = (note IS NULL))
) STRICT;
CREATE UNIQUE INDEX issuance_notice_standing ON issuance_notice (code, subject) WHERE ended_at IS NULL;

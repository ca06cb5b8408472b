-- Vouchers: store credit and gift cards that pay, each known by a code that nobody can read here. Money is integer cents.

-- What refers to the tables that are made anew below, and would miss them meanwhile.
DROP TRIGGER refund_was_paid;
DROP TRIGGER refund_is_new;

CREATE TABLE voucher (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind IN ('store-credit', 'gift-card')),
  code_hash   BLOB UNIQUE,                              -- keyed hash: finds a code that is presented
  code_sealed BLOB,                                     -- opened for its paper alone
  last4       TEXT NOT NULL CHECK (length(last4) = 4),
  issued_at   INTEGER NOT NULL,
  -- A code from before codes were sealed; the next start seals it. SQL has no key.
  open_code   TEXT,
  CHECK ((code_hash IS NULL) = (code_sealed IS NULL)),
  CHECK ((code_hash IS NULL) = (open_code IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- What it is worth is the sum of its entries.
CREATE TABLE voucher_entry (
  id               INTEGER PRIMARY KEY,
  voucher_id       TEXT NOT NULL REFERENCES voucher (id),
  at               INTEGER NOT NULL,
  kind             TEXT NOT NULL CHECK (kind IN ('issued', 'redeemed', 'given-back')),
  amount_cents     INTEGER NOT NULL CHECK (amount_cents > 0),
  return_id        TEXT REFERENCES sale_return (id),    -- issued for this return
  operation_id     TEXT REFERENCES operation (id),      -- issued because this redemption could no longer be reversed
  sale_id          TEXT REFERENCES sale (id),           -- sold, redeemed or given back on this sale
  sale_line_number INTEGER,                             -- the line that sold it
  CHECK ((kind = 'issued') = (return_id IS NOT NULL OR sale_line_number IS NOT NULL)),
  CHECK ((return_id IS NULL) = (sale_id IS NOT NULL)),
  CHECK (operation_id IS NULL OR return_id IS NOT NULL)
) STRICT;
INSERT INTO voucher (id, kind, last4, issued_at, open_code) SELECT upper(hex(randomblob(16))), 'store-credit', substr(code, -4), issued_at, code FROM store_credit;
INSERT INTO voucher_entry (id, voucher_id, at, kind, amount_cents, return_id, operation_id, sale_id)
  SELECT entry.id, voucher.id, at, entry.kind, amount_cents, return_id, operation_id, sale_id FROM store_credit_entry AS entry JOIN voucher ON voucher.open_code = entry.code ORDER BY entry.id;

-- In which form the money went back, and which of the sale's payments it stands for: store credit may stand for any.
CREATE TABLE refund_next (
  return_id      TEXT NOT NULL REFERENCES sale_return (id),
  number         INTEGER NOT NULL CHECK (number > 0),
  kind           TEXT NOT NULL CHECK (kind IN ('card', 'cash', 'miles', 'store-credit')),
  paid_by        TEXT CHECK (paid_by IN ('card', 'cash', 'miles', 'voucher')),  -- NULL without a record
  amount_cents   INTEGER NOT NULL CHECK (amount_cents > 0),
  rounding_cents INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 4),
  reference      TEXT,                                  -- of a voucher its last four, never its code
  operation_id   TEXT UNIQUE REFERENCES operation (id),
  voucher_id     TEXT REFERENCES voucher (id),
  PRIMARY KEY (return_id, number),
  CHECK (kind = 'store-credit' OR paid_by = kind),
  CHECK (kind = 'cash' OR rounding_cents = 0),
  CHECK (kind <> 'cash' OR (amount_cents + rounding_cents) % 5 = 0),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL)),
  CHECK ((kind = 'store-credit') = (voucher_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO refund_next (return_id, number, kind, paid_by, amount_cents, rounding_cents, reference, operation_id, voucher_id)
  SELECT return_id, number, refund.kind, CASE WHEN sale_return.sale_id IS NULL THEN NULL WHEN refund.kind = 'store-credit' THEN 'miles' ELSE refund.kind END, amount_cents, rounding_cents,
    CASE WHEN voucher.id IS NULL THEN reference ELSE voucher.last4 END, operation_id, voucher.id
  FROM refund JOIN sale_return ON sale_return.id = refund.return_id LEFT JOIN voucher ON voucher.open_code = refund.store_credit_code;

CREATE TABLE tender_next (
  sale_id               TEXT NOT NULL REFERENCES sale (id),
  number                INTEGER NOT NULL CHECK (number > 0),
  kind                  TEXT NOT NULL CHECK (kind IN ('cash', 'card', 'miles', 'store-credit', 'gift-card')),
  amount_cents          INTEGER NOT NULL,
  rounding_cents        INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 2),
  tendered_cents        INTEGER NOT NULL,
  change_cents          INTEGER NOT NULL DEFAULT 0 CHECK (change_cents >= 0),
  reference             TEXT,
  operation_id          TEXT REFERENCES operation (id),
  voucher_id            TEXT REFERENCES voucher (id),
  voucher_balance_cents INTEGER CHECK (voucher_balance_cents >= 0),  -- what was left on it then: a copy of the receipt says it again
  at                    INTEGER NOT NULL,
  PRIMARY KEY (sale_id, number),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL)),
  CHECK ((kind IN ('store-credit', 'gift-card')) = (voucher_id IS NOT NULL)),
  CHECK ((voucher_id IS NULL) = (voucher_balance_cents IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO tender_next (sale_id, number, kind, amount_cents, rounding_cents, tendered_cents, change_cents, reference, operation_id, at)
  SELECT sale_id, number, kind, amount_cents, rounding_cents, tendered_cents, change_cents, reference, operation_id, at FROM tender;

-- A gift card on a line of a sale: worth nothing until the sale is completed. Without a code of its own it gets one then.
CREATE TABLE sale_gift_card (
  sale_id     TEXT NOT NULL,
  line_number INTEGER NOT NULL,
  code_hash   BLOB,
  code_sealed BLOB,
  PRIMARY KEY (sale_id, line_number),
  FOREIGN KEY (sale_id, line_number) REFERENCES sale_line (sale_id, number),
  CHECK ((code_hash IS NULL) = (code_sealed IS NULL))
) STRICT, WITHOUT ROWID;

-- A paper is of a sale, of a return, or of a voucher; of a sale also a gift receipt, which says no price.
-- The document of a voucher holds no code: it is put in on the way to the printer.
CREATE TABLE print_job_next (
  id          TEXT PRIMARY KEY,
  sale_id     TEXT REFERENCES sale (id),
  return_id   TEXT REFERENCES sale_return (id),
  voucher_id  TEXT REFERENCES voucher (id),
  gift        INTEGER NOT NULL DEFAULT 0 CHECK (gift IN (0, 1)),
  copy        INTEGER NOT NULL,
  document    TEXT NOT NULL CHECK (json_valid(document)),
  open_drawer INTEGER NOT NULL CHECK (open_drawer IN (0, 1)),
  state       TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'confirmed', 'unknown', 'failed')),
  -- Set before the first byte goes to the printer: a restart never prints a job that had begun.
  started_at  INTEGER,
  created_at  INTEGER NOT NULL,
  detail      TEXT,
  CHECK ((sale_id IS NOT NULL) + (return_id IS NOT NULL) + (voucher_id IS NOT NULL) = 1),
  CHECK (gift = 0 OR sale_id IS NOT NULL)
) STRICT;
INSERT INTO print_job_next (id, sale_id, return_id, voucher_id, copy, document, open_drawer, state, started_at, created_at, detail)
  SELECT job.id, sale_id, job.return_id, voucher.id, copy,
    -- Papers from before that name a code: those of the credit itself, and of the return that it was issued for.
    CASE WHEN voucher.id IS NOT NULL THEN replace(document, voucher.open_code, '************' || voucher.last4)
         WHEN job.return_id IS NOT NULL THEN replace(document, coalesce((SELECT store_credit_code FROM refund WHERE refund.return_id = job.return_id AND store_credit_code IS NOT NULL), '-'),
           '************' || coalesce((SELECT substr(store_credit_code, -4) FROM refund WHERE refund.return_id = job.return_id AND store_credit_code IS NOT NULL), ''))
         ELSE document END,
    open_drawer, state, started_at, created_at, detail
  FROM print_job AS job LEFT JOIN voucher ON voucher.open_code = job.store_credit_code ORDER BY job.rowid;

DROP TABLE print_job;
DROP TABLE refund;
DROP TABLE store_credit_entry;
DROP TABLE store_credit;
DROP TABLE tender;
ALTER TABLE refund_next RENAME TO refund;
ALTER TABLE tender_next RENAME TO tender;
ALTER TABLE print_job_next RENAME TO print_job;

CREATE INDEX tender_by_voucher ON tender (voucher_id) WHERE voucher_id IS NOT NULL;
CREATE INDEX voucher_entry_by_voucher ON voucher_entry (voucher_id);
CREATE INDEX voucher_entry_by_return ON voucher_entry (return_id) WHERE return_id IS NOT NULL;
CREATE UNIQUE INDEX voucher_once_per_reversal ON voucher_entry (operation_id) WHERE operation_id IS NOT NULL;
CREATE UNIQUE INDEX voucher_once_per_line ON voucher_entry (sale_id, sale_line_number) WHERE sale_line_number IS NOT NULL;
CREATE INDEX voucher_with_open_code ON voucher (id) WHERE open_code IS NOT NULL;
CREATE INDEX print_job_by_sale ON print_job (sale_id, created_at);
CREATE INDEX print_job_by_return ON print_job (return_id, created_at) WHERE return_id IS NOT NULL;
CREATE INDEX print_job_by_voucher ON print_job (voucher_id, created_at) WHERE voucher_id IS NOT NULL;
-- Papers that never came out: receipts of sales, and those of returns and vouchers.
CREATE INDEX print_job_in_doubt ON print_job (sale_id) WHERE state IN ('failed', 'unknown') AND gift = 0;
CREATE INDEX print_job_other_in_doubt ON print_job (return_id, voucher_id) WHERE state IN ('failed', 'unknown') AND sale_id IS NULL;
CREATE INDEX print_job_open ON print_job (created_at) WHERE state = 'queued';

-- Never overdrawn, whoever asks at the same time; and a cancelled sale gives back what it took, once.
CREATE TRIGGER voucher_covers BEFORE INSERT ON voucher_entry
WHEN NEW.kind = 'redeemed' AND NEW.amount_cents > (SELECT coalesce(sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END), 0) FROM voucher_entry WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher holds'); END;
CREATE TRIGGER voucher_gives_back_what_it_paid BEFORE INSERT ON voucher_entry
WHEN NEW.kind = 'given-back' AND NEW.amount_cents > (SELECT coalesce(sum(CASE kind WHEN 'redeemed' THEN amount_cents WHEN 'given-back' THEN -amount_cents ELSE 0 END), 0) FROM voucher_entry WHERE voucher_id = NEW.voucher_id AND sale_id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher paid'); END;
-- Issued once: a second issue would make money. A reversal that came too late adds to no voucher either: it gets its own.
CREATE TRIGGER voucher_is_issued_once BEFORE INSERT ON voucher_entry WHEN NEW.kind = 'issued' AND EXISTS (SELECT 1 FROM voucher_entry WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'a voucher is issued once'); END;

-- Cash out never exceeds cash in; no payment gives back more than it paid, in whatever form; all together not more than was paid.
-- Without a record nobody knows what was paid: store credit only.
CREATE TRIGGER refund_was_paid BEFORE INSERT ON refund
BEGIN
  SELECT RAISE(ABORT, 'without a record only store credit goes back') WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NULL AND (NEW.kind <> 'store-credit' OR NEW.paid_by IS NOT NULL);
  SELECT RAISE(ABORT, 'it is not said what had paid') WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NOT NULL AND NEW.paid_by IS NULL;
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents + NEW.rounding_cents
      + (SELECT coalesce(sum(earlier.amount_cents + earlier.rounding_cents), 0) FROM sale_return AS other JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id AND earlier.paid_by = NEW.paid_by)
      > (SELECT coalesce(sum(amount_cents + rounding_cents), 0) FROM tender WHERE sale_id = mine.sale_id AND CASE WHEN voucher_id IS NOT NULL THEN 'voucher' ELSE kind END = NEW.paid_by);
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id);
END;

-- What is written stays as it was written. REPLACE deletes without asking a BEFORE DELETE trigger: an insert over a row is refused first.
CREATE TRIGGER refund_keeps BEFORE UPDATE ON refund BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER refund_stays BEFORE DELETE ON refund BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER refund_is_new BEFORE INSERT ON refund WHEN EXISTS (SELECT 1 FROM refund WHERE (return_id = NEW.return_id AND number = NEW.number) OR operation_id = NEW.operation_id)
BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
-- The one change that there is: a code from before is sealed.
CREATE TRIGGER voucher_keeps BEFORE UPDATE ON voucher
WHEN OLD.open_code IS NULL OR NEW.open_code IS NOT NULL OR NEW.id <> OLD.id OR NEW.kind <> OLD.kind OR NEW.last4 <> OLD.last4 OR NEW.issued_at <> OLD.issued_at
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_stays BEFORE DELETE ON voucher BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_is_new BEFORE INSERT ON voucher WHEN EXISTS (SELECT 1 FROM voucher WHERE id = NEW.id OR code_hash = NEW.code_hash) BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_entry_keeps BEFORE UPDATE ON voucher_entry BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_entry_stays BEFORE DELETE ON voucher_entry BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_entry_is_new BEFORE INSERT ON voucher_entry WHEN EXISTS (SELECT 1 FROM voucher_entry WHERE id = NEW.id OR (operation_id IS NOT NULL AND operation_id = NEW.operation_id))
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;

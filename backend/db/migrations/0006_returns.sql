-- Returns: the goods that came back, what the customer got for them, and store credit. Money is integer cents.

-- What a sale was closed under, so that a later return goes by it and not by a profile that has changed since.
CREATE TABLE partner_rules (
  id    INTEGER PRIMARY KEY,
  rules TEXT NOT NULL UNIQUE CHECK (json_valid(rules))  -- the profile's rules of partner-calculated miles
) STRICT;
ALTER TABLE sale ADD COLUMN partner_rules_id INTEGER REFERENCES partner_rules (id);
-- Rates, and the categories that attract each. NULL for sales from before: the store's taxes of today.
ALTER TABLE sale ADD COLUMN taxes TEXT CHECK (taxes IS NULL OR json_valid(taxes));

CREATE TABLE sale_return (
  id             TEXT PRIMARY KEY,                      -- checkoutTransactionId of its RETURN, and its receipt's barcode
  sequence       INTEGER NOT NULL UNIQUE,               -- sales and returns of a lane share one sequence
  sale_id        TEXT REFERENCES sale (id),             -- NULL: without a record, approved by a manager
  lane           TEXT NOT NULL,
  cashier_id     TEXT NOT NULL REFERENCES staff (id),
  approved_by    TEXT REFERENCES staff (id),
  reason         TEXT,
  at             INTEGER NOT NULL,
  subtotal_cents INTEGER NOT NULL CHECK (subtotal_cents >= 0),
  taxes          TEXT NOT NULL CHECK (json_valid(taxes)),
  total_cents    INTEGER NOT NULL CHECK (total_cents >= 0),
  CHECK (sale_id IS NOT NULL OR (approved_by IS NOT NULL AND reason IS NOT NULL))
) STRICT;
CREATE INDEX sale_return_by_sale ON sale_return (sale_id, sequence);

-- Each line as it was sold: price and taxes of the sale, not of today's catalog.
CREATE TABLE return_line (
  return_id        TEXT NOT NULL REFERENCES sale_return (id),
  number           INTEGER NOT NULL CHECK (number > 0),
  sale_line_number INTEGER,                             -- NULL: without a record
  sku              TEXT NOT NULL,
  name_en          TEXT NOT NULL,
  name_fr          TEXT NOT NULL,
  quantity         INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  unit_price_cents INTEGER NOT NULL,
  tax_category     TEXT NOT NULL CHECK (tax_category IN ('standard', 'book', 'children-wear', 'diapers', 'federal-only', 'zero-rated')),
  department_id    TEXT NOT NULL,
  category_id      TEXT,
  PRIMARY KEY (return_id, number)
) STRICT, WITHOUT ROWID;
-- A line is never returned more often than it was sold. Without a record there is no line to compare with.
CREATE TRIGGER return_line_was_sold BEFORE INSERT ON return_line
WHEN (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'more is returned than was sold') WHERE
    NEW.quantity + (SELECT coalesce(sum(earlier.quantity), 0) FROM sale_return AS mine
      JOIN sale_return AS other ON other.sale_id = mine.sale_id JOIN return_line AS earlier ON earlier.return_id = other.id
      WHERE mine.id = NEW.return_id AND earlier.sale_line_number = NEW.sale_line_number)
    > coalesce((SELECT sold.quantity FROM sale_return AS mine JOIN sale ON sale.id = mine.sale_id JOIN sale_line AS sold ON sold.sale_id = sale.id
      WHERE mine.id = NEW.return_id AND sale.state = 'completed' AND sold.number = NEW.sale_line_number AND sold.voided = 0), 0);
END;

CREATE TABLE store_credit (
  code      TEXT PRIMARY KEY CHECK (length(code) = 16),
  issued_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What it is worth is the sum of its entries.
CREATE TABLE store_credit_entry (
  id           INTEGER PRIMARY KEY,
  code         TEXT NOT NULL REFERENCES store_credit (code),
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('issued', 'redeemed')),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  return_id    TEXT REFERENCES sale_return (id),        -- issued for this return
  operation_id TEXT REFERENCES operation (id),          -- issued because this redemption could no longer be reversed
  sale_id      TEXT REFERENCES sale (id),               -- redeemed on this sale
  CHECK ((kind = 'issued') = (return_id IS NOT NULL)),
  CHECK ((kind = 'redeemed') = (sale_id IS NOT NULL))
) STRICT;
CREATE INDEX store_credit_entry_by_code ON store_credit_entry (code);
CREATE UNIQUE INDEX store_credit_once_per_reversal ON store_credit_entry (operation_id) WHERE operation_id IS NOT NULL;
CREATE TRIGGER store_credit_covers BEFORE INSERT ON store_credit_entry
WHEN NEW.kind = 'redeemed' AND NEW.amount_cents > (SELECT coalesce(sum(CASE kind WHEN 'issued' THEN amount_cents ELSE -amount_cents END), 0) FROM store_credit_entry WHERE code = NEW.code)
BEGIN SELECT RAISE(ABORT, 'more than the store credit holds'); END;

-- In which form the money went back. Cash handed out is amount_cents + rounding_cents.
CREATE TABLE refund (
  return_id         TEXT NOT NULL REFERENCES sale_return (id),
  number            INTEGER NOT NULL CHECK (number > 0),
  kind              TEXT NOT NULL CHECK (kind IN ('card', 'cash', 'miles', 'store-credit')),
  amount_cents      INTEGER NOT NULL CHECK (amount_cents > 0),
  rounding_cents    INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 4),
  reference         TEXT,
  operation_id      TEXT UNIQUE REFERENCES operation (id),
  store_credit_code TEXT UNIQUE REFERENCES store_credit (code),
  PRIMARY KEY (return_id, number),
  CHECK (kind = 'cash' OR rounding_cents = 0),
  CHECK (kind <> 'cash' OR (amount_cents + rounding_cents) % 5 = 0),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL)),
  CHECK ((kind = 'store-credit') = (store_credit_code IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- Cash out never exceeds cash in; no tender gives back more than it paid; all together not more than was paid.
-- Without a record nobody knows what was paid: store credit only.
CREATE TRIGGER refund_was_paid BEFORE INSERT ON refund
BEGIN
  SELECT RAISE(ABORT, 'without a record only store credit goes back') WHERE NEW.kind <> 'store-credit' AND (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NULL;
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id AND mine.sale_id IS NOT NULL AND (
    NEW.amount_cents + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id)
    OR (NEW.kind <> 'store-credit' AND NEW.amount_cents + NEW.rounding_cents
      + (SELECT coalesce(sum(earlier.amount_cents + earlier.rounding_cents), 0) FROM sale_return AS other JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id AND earlier.kind = NEW.kind)
      > (SELECT coalesce(sum(amount_cents + rounding_cents), 0) FROM tender WHERE sale_id = mine.sale_id AND kind = NEW.kind)));
END;

-- What is written about a return stays as it was written. REPLACE deletes without asking a BEFORE DELETE trigger: an insert over a row is refused first.
CREATE TRIGGER sale_return_keeps BEFORE UPDATE ON sale_return BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER sale_return_stays BEFORE DELETE ON sale_return BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER sale_return_is_new BEFORE INSERT ON sale_return WHEN EXISTS (SELECT 1 FROM sale_return WHERE id = NEW.id OR sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER return_line_keeps BEFORE UPDATE ON return_line BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER return_line_stays BEFORE DELETE ON return_line BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER return_line_is_new BEFORE INSERT ON return_line WHEN EXISTS (SELECT 1 FROM return_line WHERE return_id = NEW.return_id AND number = NEW.number) BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER refund_keeps BEFORE UPDATE ON refund BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER refund_stays BEFORE DELETE ON refund BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER refund_is_new BEFORE INSERT ON refund WHEN EXISTS (SELECT 1 FROM refund WHERE (return_id = NEW.return_id AND number = NEW.number) OR operation_id = NEW.operation_id OR store_credit_code = NEW.store_credit_code)
BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER store_credit_keeps BEFORE UPDATE ON store_credit BEGIN SELECT RAISE(ABORT, 'store credit is append-only'); END;
CREATE TRIGGER store_credit_stays BEFORE DELETE ON store_credit BEGIN SELECT RAISE(ABORT, 'store credit is append-only'); END;
CREATE TRIGGER store_credit_is_new BEFORE INSERT ON store_credit WHEN EXISTS (SELECT 1 FROM store_credit WHERE code = NEW.code) BEGIN SELECT RAISE(ABORT, 'store credit is append-only'); END;
CREATE TRIGGER store_credit_entry_keeps BEFORE UPDATE ON store_credit_entry BEGIN SELECT RAISE(ABORT, 'store credit is append-only'); END;
CREATE TRIGGER store_credit_entry_stays BEFORE DELETE ON store_credit_entry BEGIN SELECT RAISE(ABORT, 'store credit is append-only'); END;
CREATE TRIGGER store_credit_entry_is_new BEFORE INSERT ON store_credit_entry WHEN EXISTS (SELECT 1 FROM store_credit_entry WHERE id = NEW.id OR (operation_id IS NOT NULL AND operation_id = NEW.operation_id))
BEGIN SELECT RAISE(ABORT, 'store credit is append-only'); END;

-- A paper is of a sale, of a return, or of a store credit.
CREATE TABLE print_job_next (
  id                TEXT PRIMARY KEY,
  sale_id           TEXT REFERENCES sale (id),
  return_id         TEXT REFERENCES sale_return (id),
  store_credit_code TEXT REFERENCES store_credit (code),
  copy              INTEGER NOT NULL,
  document          TEXT NOT NULL CHECK (json_valid(document)),
  open_drawer       INTEGER NOT NULL CHECK (open_drawer IN (0, 1)),
  state             TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'confirmed', 'unknown', 'failed')),
  -- Set before the first byte goes to the printer: a restart never prints a job that had begun.
  started_at        INTEGER,
  created_at        INTEGER NOT NULL,
  detail            TEXT,
  CHECK ((sale_id IS NOT NULL) + (return_id IS NOT NULL) + (store_credit_code IS NOT NULL) = 1)
) STRICT;
INSERT INTO print_job_next (id, sale_id, copy, document, open_drawer, state, started_at, created_at, detail)
  SELECT id, sale_id, copy, document, open_drawer, state, started_at, created_at, detail FROM print_job ORDER BY rowid;
DROP TABLE print_job;
ALTER TABLE print_job_next RENAME TO print_job;
CREATE INDEX print_job_by_sale ON print_job (sale_id, created_at);
CREATE INDEX print_job_by_return ON print_job (return_id, created_at) WHERE return_id IS NOT NULL;
CREATE INDEX print_job_by_store_credit ON print_job (store_credit_code, created_at) WHERE store_credit_code IS NOT NULL;
-- Receipts of sales that never reached paper, as before.
CREATE INDEX print_job_in_doubt ON print_job (sale_id) WHERE state IN ('failed', 'unknown');
CREATE INDEX print_job_open ON print_job (created_at) WHERE state = 'queued';

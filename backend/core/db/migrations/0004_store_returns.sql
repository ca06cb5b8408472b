-- readable from: 1
-- Returns at this lane of goods that another lane sold, and the reservations that this lane requests from the store for
-- them. `store_sale` contains a sale of another lane only after goods of that sale were returned here.

-- Finds whether the store has confirmed a sale.
CREATE INDEX store_fact_of_subject ON store_fact (subject, kind);

-- Reservation of a return. The lane stores a reservation before requesting it, then commits it with the return or
-- releases it.
CREATE TABLE store_claim (
  id         TEXT PRIMARY KEY CHECK (length(id) = 36),
  sale_id    TEXT NOT NULL,
  -- asked: possibly granted. granted: the return follows immediately. committed: the return is stored. releasing: no
  -- return follows, and the store has not confirmed the release. released: final.
  state      TEXT NOT NULL CHECK (state IN ('asked', 'granted', 'committed', 'releasing', 'released')),
  asked_at   INTEGER NOT NULL,
  return_id  TEXT UNIQUE REFERENCES sale_return (id),
  CHECK ((state = 'committed') = (return_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX store_claim_open ON store_claim (asked_at) WHERE state IN ('asked', 'granted', 'releasing');
CREATE INDEX store_claim_of_sale ON store_claim (sale_id);
CREATE TRIGGER store_claim_keeps BEFORE UPDATE OF id, sale_id, asked_at ON store_claim
BEGIN SELECT RAISE(ABORT, 'a claim stays as it was asked'); END;
CREATE TRIGGER store_claim_goes_on BEFORE UPDATE OF state ON store_claim
  WHEN NEW.state <> OLD.state AND NOT (
    (OLD.state = 'asked' AND NEW.state IN ('granted', 'releasing', 'released'))
    OR (OLD.state = 'granted' AND NEW.state IN ('committed', 'releasing'))
    OR (OLD.state = 'releasing' AND NEW.state = 'released'))
BEGIN SELECT RAISE(ABORT, 'a claim is committed once, and only what was granted'); END;
CREATE TRIGGER store_claim_stays BEFORE DELETE ON store_claim
BEGIN SELECT RAISE(ABORT, 'a claim is never deleted'); END;

-- Sale of another lane, as received from the store. Collector data is sealed with this lane's key.
CREATE TABLE store_sale (
  id            TEXT PRIMARY KEY,
  lane          TEXT NOT NULL,
  receipt       TEXT NOT NULL CHECK (json_valid(receipt)),
  secret_sealed BLOB
) STRICT, WITHOUT ROWID;
CREATE TABLE store_sale_line (
  sale_id TEXT NOT NULL REFERENCES store_sale (id),
  number  INTEGER NOT NULL CHECK (number > 0),
  sold    INTEGER NOT NULL CHECK (sold BETWEEN 1 AND 999),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE store_sale_payment (
  sale_id    TEXT NOT NULL REFERENCES store_sale (id),
  paid_by    TEXT NOT NULL CHECK (paid_by <> ''),
  paid_cents INTEGER NOT NULL,
  coin_cents INTEGER NOT NULL,
  PRIMARY KEY (sale_id, paid_by)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER store_sale_keeps BEFORE UPDATE ON store_sale BEGIN SELECT RAISE(ABORT, 'a sale was closed'); END;
CREATE TRIGGER store_sale_stays BEFORE DELETE ON store_sale BEGIN SELECT RAISE(ABORT, 'a sale was closed'); END;
CREATE TRIGGER store_sale_line_keeps BEFORE UPDATE ON store_sale_line
BEGIN SELECT RAISE(ABORT, 'a sale was closed'); END;
CREATE TRIGGER store_sale_line_stays BEFORE DELETE ON store_sale_line
BEGIN SELECT RAISE(ABORT, 'a sale was closed'); END;
CREATE TRIGGER store_sale_payment_keeps BEFORE UPDATE ON store_sale_payment
BEGIN SELECT RAISE(ABORT, 'a sale was closed'); END;
CREATE TRIGGER store_sale_payment_stays BEFORE DELETE ON store_sale_payment
BEGIN SELECT RAISE(ABORT, 'a sale was closed'); END;

-- Return of a sale of another lane. Its row in `sale_return` has no sale_id.
CREATE TABLE store_return (
  return_id   TEXT PRIMARY KEY REFERENCES sale_return (id),
  sale_id     TEXT NOT NULL REFERENCES store_sale (id),
  approved_by TEXT REFERENCES staff (id),
  reason      TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX store_return_of_sale ON store_return (sale_id);
CREATE TRIGGER store_return_was_claimed BEFORE INSERT ON store_return
  WHEN NOT EXISTS (SELECT 1 FROM store_claim WHERE return_id = NEW.return_id AND sale_id = NEW.sale_id)
    OR (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a sale of another lane comes back by a claim'); END;
CREATE TRIGGER store_return_keeps BEFORE UPDATE ON store_return
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER store_return_stays BEFORE DELETE ON store_return
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;

CREATE TABLE store_return_line (
  return_id        TEXT NOT NULL REFERENCES store_return (return_id),
  number           INTEGER NOT NULL CHECK (number > 0),
  sale_line_number INTEGER NOT NULL,
  quantity         INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  PRIMARY KEY (return_id, number)
) STRICT, WITHOUT ROWID;
-- Counts the returns at this lane only; the store server counts the returns at all lanes.
CREATE TRIGGER store_return_line_was_sold BEFORE INSERT ON store_return_line
BEGIN
  SELECT RAISE(ABORT, 'more is returned than was sold') FROM store_return AS mine WHERE mine.return_id = NEW.return_id
    AND NEW.quantity + (SELECT coalesce(sum(earlier.quantity), 0) FROM store_return AS other
        JOIN store_return_line AS earlier ON earlier.return_id = other.return_id
        WHERE other.sale_id = mine.sale_id AND earlier.sale_line_number = NEW.sale_line_number)
      > coalesce((SELECT sold FROM store_sale_line WHERE sale_id = mine.sale_id AND number = NEW.sale_line_number), 0);
END;
CREATE TRIGGER store_return_line_keeps BEFORE UPDATE ON store_return_line
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER store_return_line_stays BEFORE DELETE ON store_return_line
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;

-- Same as `refund`, for a sale of another lane.
CREATE TABLE store_refund (
  return_id      TEXT NOT NULL REFERENCES store_return (return_id),
  number         INTEGER NOT NULL CHECK (number > 0),
  kind           TEXT NOT NULL CHECK (kind <> ''),
  paid_by        TEXT NOT NULL CHECK (paid_by <> ''),
  amount_cents   INTEGER NOT NULL CHECK (amount_cents > 0),
  rounding_cents INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 4),
  reference      TEXT,
  operation_id   TEXT UNIQUE REFERENCES operation (id),
  voucher_id     TEXT REFERENCES voucher (id),
  PRIMARY KEY (return_id, number),
  CHECK (kind = 'store-credit' OR paid_by = kind),
  CHECK (kind = 'cash' OR rounding_cents = 0),
  CHECK (kind <> 'cash' OR (amount_cents + rounding_cents) % 5 = 0),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL)),
  CHECK ((kind = 'store-credit') = (voucher_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE TRIGGER store_refund_was_paid BEFORE INSERT ON store_refund
BEGIN
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM store_return AS mine WHERE mine.return_id = NEW.return_id
    AND NEW.amount_cents + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM store_return AS other
        JOIN store_refund AS earlier ON earlier.return_id = other.return_id
        WHERE other.sale_id = mine.sale_id AND earlier.paid_by = NEW.paid_by)
      > coalesce((SELECT paid_cents FROM store_sale_payment WHERE sale_id = mine.sale_id AND paid_by = NEW.paid_by), 0);
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM store_return AS mine WHERE mine.return_id = NEW.return_id
    AND NEW.kind = 'cash'
    AND NEW.amount_cents + NEW.rounding_cents
        + (SELECT coalesce(sum(earlier.amount_cents + earlier.rounding_cents), 0) FROM store_return AS other
        JOIN store_refund AS earlier ON earlier.return_id = other.return_id
        WHERE other.sale_id = mine.sale_id AND earlier.kind = 'cash')
      > coalesce((SELECT coin_cents FROM store_sale_payment WHERE sale_id = mine.sale_id AND paid_by = 'cash'), 0);
END;
CREATE TRIGGER store_refund_keeps BEFORE UPDATE ON store_refund
BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER store_refund_stays BEFORE DELETE ON store_refund
BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;

-- Miles to take back for a sale of another lane, when this lane knows how they were issued. `goods`: goods of the sale
-- that are left after the return.
CREATE TABLE store_miles_due (
  return_id TEXT PRIMARY KEY REFERENCES store_return (return_id),
  goods     TEXT NOT NULL CHECK (json_valid(goods)),
  done_at   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX store_miles_due_open ON store_miles_due (return_id) WHERE done_at IS NULL;
CREATE TRIGGER store_miles_due_keeps BEFORE UPDATE OF return_id, goods ON store_miles_due
BEGIN SELECT RAISE(ABORT, 'what is due is written once'); END;
CREATE TRIGGER store_miles_due_once BEFORE UPDATE OF done_at ON store_miles_due WHEN OLD.done_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'miles are taken back once'); END;
CREATE TRIGGER store_miles_due_stays BEFORE DELETE ON store_miles_due
BEGIN SELECT RAISE(ABORT, 'what is due stays'); END;

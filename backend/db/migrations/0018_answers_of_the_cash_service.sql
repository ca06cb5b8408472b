-- Store credit is issued for a cancelled sale too, whose redemption could no longer be reversed: before, for a return alone.
CREATE TABLE voucher_entry_next (
  id               INTEGER PRIMARY KEY,
  voucher_id       TEXT NOT NULL REFERENCES voucher (id),
  at               INTEGER NOT NULL,
  kind             TEXT NOT NULL CHECK (kind IN ('issued', 'redeemed', 'given-back')),
  amount_cents     INTEGER NOT NULL CHECK (amount_cents > 0),
  return_id        TEXT REFERENCES sale_return (id),    -- issued for this return
  operation_id     TEXT REFERENCES operation (id),      -- issued because this redemption could no longer be reversed
  sale_id          TEXT REFERENCES sale (id),           -- sold, redeemed or given back on this sale, or issued for it
  sale_line_number INTEGER,                             -- the line that sold it
  CHECK ((kind = 'issued') = (return_id IS NOT NULL OR sale_line_number IS NOT NULL OR operation_id IS NOT NULL)),
  CHECK ((return_id IS NULL) = (sale_id IS NOT NULL)),
  CHECK (operation_id IS NULL OR sale_line_number IS NULL)
) STRICT;
INSERT INTO voucher_entry_next (id, voucher_id, at, kind, amount_cents, return_id, operation_id, sale_id, sale_line_number)
  SELECT id, voucher_id, at, kind, amount_cents, return_id, operation_id, sale_id, sale_line_number FROM voucher_entry ORDER BY id;
DROP TABLE voucher_entry;
ALTER TABLE voucher_entry_next RENAME TO voucher_entry;

CREATE INDEX voucher_entry_by_voucher ON voucher_entry (voucher_id);
CREATE INDEX voucher_entry_by_return ON voucher_entry (return_id) WHERE return_id IS NOT NULL;
CREATE UNIQUE INDEX voucher_once_per_reversal ON voucher_entry (operation_id) WHERE operation_id IS NOT NULL;
CREATE UNIQUE INDEX voucher_once_per_line ON voucher_entry (sale_id, sale_line_number) WHERE sale_line_number IS NOT NULL;
CREATE INDEX voucher_issued_for_sale ON voucher_entry (sale_id) WHERE kind = 'issued' AND operation_id IS NOT NULL AND sale_id IS NOT NULL;

-- As they stood on the table before.
CREATE TRIGGER voucher_covers BEFORE INSERT ON voucher_entry
WHEN NEW.kind = 'redeemed' AND NEW.amount_cents > (SELECT coalesce(sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END), 0) FROM voucher_entry WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher holds'); END;
CREATE TRIGGER voucher_gives_back_what_it_paid BEFORE INSERT ON voucher_entry
WHEN NEW.kind = 'given-back' AND NEW.amount_cents > (SELECT coalesce(sum(CASE kind WHEN 'redeemed' THEN amount_cents WHEN 'given-back' THEN -amount_cents ELSE 0 END), 0) FROM voucher_entry WHERE voucher_id = NEW.voucher_id AND sale_id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher paid'); END;
CREATE TRIGGER voucher_is_issued_once BEFORE INSERT ON voucher_entry WHEN NEW.kind = 'issued' AND EXISTS (SELECT 1 FROM voucher_entry WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'a voucher is issued once'); END;

CREATE TRIGGER voucher_entry_keeps BEFORE UPDATE ON voucher_entry BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_entry_stays BEFORE DELETE ON voucher_entry BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_entry_is_new BEFORE INSERT ON voucher_entry WHEN EXISTS (SELECT 1 FROM voucher_entry WHERE id = NEW.id OR (operation_id IS NOT NULL AND operation_id = NEW.operation_id))
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;

-- One payment of an open sale can be given back without cancelling the sale, and every change of an open sale can be
-- taken back, the newest first.

-- The payment that this row gives back, whole: the two cancel each other out, and neither is shown or counted any more.
-- NULL: a payment, or what a cancelled sale gave back as a whole.
ALTER TABLE tender ADD COLUMN takes_back INTEGER;
CREATE UNIQUE INDEX tender_taken_back_once ON tender (sale_id, takes_back) WHERE takes_back IS NOT NULL;
CREATE TRIGGER tender_gives_back_what_it_paid BEFORE INSERT ON tender
WHEN NEW.takes_back IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM tender AS paid JOIN sale ON sale.id = paid.sale_id
  WHERE paid.sale_id = NEW.sale_id AND paid.number = NEW.takes_back AND paid.takes_back IS NULL AND sale.state = 'open' AND paid.amount_cents > 0
    AND paid.kind = NEW.kind AND paid.amount_cents = -NEW.amount_cents AND paid.rounding_cents = -NEW.rounding_cents
    AND paid.tendered_cents - paid.change_cents = NEW.change_cents - NEW.tendered_cents
    AND paid.operation_id IS NEW.operation_id AND paid.voucher_id IS NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'a payment is given back as it was taken'); END;

-- A sale whose payments were all given back owes nothing: it may lie aside like one that was never paid on.
DROP TRIGGER sale_held_owes_nothing;
CREATE TRIGGER sale_held_owes_nothing BEFORE UPDATE OF held_at ON sale
WHEN NEW.held_at IS NOT NULL AND (
  EXISTS (SELECT 1 FROM tender WHERE sale_id = NEW.id AND takes_back IS NULL
    AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = tender.sale_id AND back.takes_back = tender.number))
  OR EXISTS (SELECT 1 FROM operation WHERE sale_id = NEW.id AND kind = 'redemption' AND state NOT IN ('declined', 'reversed')))
BEGIN SELECT RAISE(ABORT, 'a sale that was paid on is not put on hold'); END;

-- The paper of a payment that was given back. `gift` is 1 for every paper of a sale that is not its receipt.
ALTER TABLE print_job ADD COLUMN payment_back INTEGER NOT NULL DEFAULT 0 CHECK (payment_back IN (0, 1) AND (payment_back = 0 OR gift = 1));

-- Every change of an open sale with what stood before it. `after_tender`: number of the newest payment that stood then (0: none):
-- while a newer one stands, the change is out of reach.
CREATE TABLE sale_undo_next (
  sale_id      TEXT NOT NULL REFERENCES sale (id),
  number       INTEGER NOT NULL CHECK (number > 0),
  after_tender INTEGER NOT NULL CHECK (after_tender >= 0),
  change       TEXT NOT NULL CHECK (json_valid(change)),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO sale_undo_next (sale_id, number, after_tender, change)
  SELECT sale_undo.sale_id, 1, (SELECT coalesce(max(tender.number), 0) FROM tender WHERE tender.sale_id = sale_undo.sale_id), change
  FROM sale_undo JOIN sale ON sale.id = sale_undo.sale_id AND sale.version = sale_undo.version WHERE sale.state = 'open' AND sale.held_at IS NULL;
DROP TABLE sale_undo;
ALTER TABLE sale_undo_next RENAME TO sale_undo;

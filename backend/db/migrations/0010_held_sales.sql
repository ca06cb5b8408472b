-- A sale that was put on hold: still open, but no longer the one that the lane rings. Found again by what the cashier called it.

ALTER TABLE sale ADD COLUMN held_at INTEGER CHECK (held_at IS NULL OR state = 'open');
ALTER TABLE sale ADD COLUMN held_as TEXT CHECK ((held_as IS NULL) = (held_at IS NULL));
DROP INDEX sale_one_open_per_lane;
CREATE UNIQUE INDEX sale_one_open_per_lane ON sale (lane) WHERE state = 'open' AND held_at IS NULL;
CREATE INDEX sale_held ON sale (lane, held_at) WHERE held_at IS NOT NULL;
-- Miles that were redeemed can be given back until 03:00 of the next day (specification 3 §4.5), and nobody watches a
-- sale that lies aside: what holds a payment, or a redemption that is not certainly declined, is never put on hold.
CREATE TRIGGER sale_held_owes_nothing BEFORE UPDATE OF held_at ON sale
WHEN NEW.held_at IS NOT NULL AND (EXISTS (SELECT 1 FROM tender WHERE sale_id = NEW.id)
  OR EXISTS (SELECT 1 FROM operation WHERE sale_id = NEW.id AND kind = 'redemption' AND state <> 'declined'))
BEGIN SELECT RAISE(ABORT, 'a sale that was paid on is not put on hold'); END;
CREATE TRIGGER sale_held_takes_no_tender BEFORE INSERT ON tender
WHEN (SELECT held_at FROM sale WHERE id = NEW.sale_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a sale on hold takes no payment'); END;

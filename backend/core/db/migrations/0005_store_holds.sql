-- readable from: 1
-- Sales on hold over the lanes of a store. Of a sale on hold, sale.lane says where the right to resume it is: at this
-- lane, in the store ('store'), or at the lane that resumed it. Whatever counts or lists the sales of this lane, also
-- the release before this one, goes by that column: a sale that went elsewhere is none of them, and was never closed.

-- What this lane's store has of a sale on hold, or may have. offered: the right is here; given: in the store; kept: it
-- was resumed here before that, and the store forgets it; ended: it was resumed.
CREATE TABLE store_hold (
  id      TEXT PRIMARY KEY,
  sale_id TEXT NOT NULL REFERENCES sale (id),
  state   TEXT NOT NULL CHECK (state IN ('offered', 'given', 'kept', 'ended')),
  -- whether the store has said that it knows
  told    INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
  -- who resumed it elsewhere, and when
  to_lane TEXT,
  by_name TEXT,
  at      INTEGER,
  CHECK ((to_lane IS NULL) = (by_name IS NULL) AND (to_lane IS NULL) = (at IS NULL))
) STRICT;
CREATE UNIQUE INDEX store_hold_once ON store_hold (sale_id) WHERE state IN ('offered', 'given');
CREATE INDEX store_hold_untold ON store_hold (id) WHERE told = 0;
CREATE INDEX store_hold_of_sale ON store_hold (sale_id);
-- It is found among what this lane had, and says where it went.
CREATE TRIGGER search_waits_for_moved AFTER UPDATE OF to_lane ON store_hold
  WHEN NEW.to_lane IS NOT NULL AND OLD.to_lane IS NULL
BEGIN INSERT INTO search_waiting (kind, ref) SELECT 'sale', sequence FROM sale WHERE id = NEW.sale_id; END;

-- What this lane has asked the store for, on the disk before it asked. asked: nobody knows whether it has it; back: it
-- gives it back; over: nothing came of it; done: it is this lane's sale.
CREATE TABLE store_hold_claim (
  id         TEXT PRIMARY KEY,
  held_sale  TEXT NOT NULL,
  staff_id   TEXT NOT NULL REFERENCES staff (id),
  asked_at   INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('asked', 'back', 'over', 'done')),
  sale_id    TEXT REFERENCES sale (id),
  resumed_at INTEGER,
  CHECK ((state = 'done') = (sale_id IS NOT NULL) AND (sale_id IS NULL) = (resumed_at IS NULL))
) STRICT;
CREATE INDEX store_hold_claim_open ON store_hold_claim (state) WHERE state IN ('asked', 'back');
CREATE TRIGGER store_hold_claim_ends BEFORE UPDATE ON store_hold_claim WHEN OLD.state IN ('over', 'done')
BEGIN SELECT RAISE(ABORT, 'a claim has ended'); END;
CREATE TRIGGER store_tells_held_sale AFTER UPDATE OF state ON store_hold_claim WHEN NEW.state = 'done'
BEGIN INSERT INTO store_told (kind, subject) VALUES ('held-sale', NEW.id); END;

-- Goods of a held sale that were rung anew while the store could not be asked: it is told, and shows it.
CREATE TABLE store_copy (
  sale_id   TEXT PRIMARY KEY REFERENCES sale (id),
  held_sale TEXT NOT NULL,
  told      INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1))
) STRICT;
CREATE INDEX store_copy_untold ON store_copy (sale_id) WHERE told = 0;

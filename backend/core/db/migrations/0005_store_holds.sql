-- readable from: 1
-- Sales on hold that any lane of a store can resume. `sale.lane` of a sale on hold contains the owner of the right to
-- resume: this lane, the store ('store'), or the lane that resumed the sale. Lists and counts of this lane's sales
-- filter by that column, in the previous release too: a moved sale is not one of them, and was never closed.

-- State of a sale on hold at the store server. offered: this lane has the right to resume. given: the store has the
-- right. kept: this lane resumed the sale before that, and the store deletes its entry. ended: a lane resumed the sale
-- with the store's permission.
CREATE TABLE store_hold (
  id      TEXT PRIMARY KEY,
  sale_id TEXT NOT NULL REFERENCES sale (id),
  state   TEXT NOT NULL CHECK (state IN ('offered', 'given', 'kept', 'ended')),
  -- 1: the store server has confirmed the state.
  told    INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
  -- Lane, person and time of a resume at another lane.
  to_lane TEXT,
  by_name TEXT,
  at      INTEGER,
  CHECK ((to_lane IS NULL) = (by_name IS NULL) AND (to_lane IS NULL) = (at IS NULL))
) STRICT;
CREATE UNIQUE INDEX store_hold_once ON store_hold (sale_id) WHERE state IN ('offered', 'given');
CREATE INDEX store_hold_untold ON store_hold (id) WHERE told = 0;
CREATE INDEX store_hold_of_sale ON store_hold (sale_id);
-- The search of this lane finds a moved sale and shows which lane resumed it.
CREATE TRIGGER search_waits_for_moved AFTER UPDATE OF to_lane ON store_hold
  WHEN NEW.to_lane IS NOT NULL AND OLD.to_lane IS NULL
BEGIN INSERT INTO search_waiting (kind, ref) SELECT 'sale', sequence FROM sale WHERE id = NEW.sale_id; END;

-- Reservations of sales on hold that this lane requested. The lane stores a reservation before requesting it. asked:
-- the outcome is unknown. back: being released. over: ended without a sale. done: resumed here as `sale_id`.
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

-- Sales in which the goods of a sale on hold were rung again, because it could not be resumed. The server receives and
-- shows the copy.
CREATE TABLE store_copy (
  sale_id   TEXT PRIMARY KEY REFERENCES sale (id),
  held_sale TEXT NOT NULL,
  told      INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1))
) STRICT;
CREATE INDEX store_copy_untold ON store_copy (sale_id) WHERE told = 0;

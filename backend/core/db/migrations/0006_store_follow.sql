-- readable from: 1
-- What managers change at one lane and every lane of the store follows: people, PINs, settings, prices. Of each thing
-- the last change counts, by a clock that every lane reads alike; two lanes that were apart agree by it.

-- What counts of each thing now, wherever it was changed.
CREATE TABLE store_register (
  kind    TEXT NOT NULL CHECK (kind <> ''),
  subject TEXT NOT NULL,
  -- milliseconds since the epoch, and more where a later change has to come after one of a clock that runs ahead
  clock   INTEGER NOT NULL CHECK (clock > 0),
  lane    TEXT NOT NULL,                          -- where it was changed; of one clock the greater one counts
  at      INTEGER NOT NULL,                       -- by that lane's clock
  by_id   TEXT REFERENCES staff (id),             -- NULL: the terminal, as its profile said
  -- the newest clock of each lane whose changes of this thing were known
  seen    TEXT NOT NULL CHECK (json_valid(seen)),
  value   TEXT NOT NULL CHECK (json_valid(value)),
  -- who had changed it here when another lane's change, which did not know of that, took its place; NULL: nobody
  over_id TEXT REFERENCES staff (id),
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX store_register_clock ON store_register (clock);

-- Each change of this lane, as it is told.
CREATE TABLE store_change (
  id      INTEGER PRIMARY KEY,
  kind    TEXT NOT NULL CHECK (kind <> ''),
  subject TEXT NOT NULL,
  clock   INTEGER NOT NULL CHECK (clock > 0),
  at      INTEGER NOT NULL,
  by_id   TEXT REFERENCES staff (id),
  seen    TEXT NOT NULL CHECK (json_valid(seen)),
  value   TEXT NOT NULL CHECK (json_valid(value)),
  secret  BLOB                                    -- sealed with the lane's key; NULL: there is none
) STRICT;
CREATE TRIGGER store_change_is_new BEFORE INSERT ON store_change
  WHEN EXISTS (SELECT 1 FROM store_change WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a change is written once'); END;
CREATE TRIGGER store_change_keeps BEFORE UPDATE ON store_change
BEGIN SELECT RAISE(ABORT, 'a change is written once'); END;
CREATE TRIGGER store_change_stays BEFORE DELETE ON store_change
BEGIN SELECT RAISE(ABORT, 'a change is written once'); END;
CREATE TRIGGER store_tells_change AFTER INSERT ON store_change
BEGIN INSERT INTO store_told (kind, subject) VALUES (NEW.kind, CAST(NEW.id AS TEXT)); END;

-- How far this lane has come in the changes of the others. A cursor of their own: a program of the release before,
-- which follows none of these, moves the other past them.
CREATE TABLE store_change_cursor (
  stream TEXT PRIMARY KEY,
  seq    INTEGER NOT NULL CHECK (seq >= 0)
) STRICT, WITHOUT ROWID;
-- The kinds that the program followed which wrote the cursor last: one that knows another kind begins anew.
CREATE TABLE store_change_kinds (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  kinds TEXT NOT NULL CHECK (json_valid(kinds))
) STRICT;

-- A PIN that was set at another lane. It holds while `staff.pin_hash` is what it was when this came: a program of the
-- release before sets another there, and goes by that.
CREATE TABLE staff_store_pin (
  staff_id   TEXT PRIMARY KEY REFERENCES staff (id),
  verifier   TEXT NOT NULL,                       -- keyed$N$r$p$salt$hash, under a key of its own
  key_sealed BLOB NOT NULL,                       -- that key, sealed with the lane's
  temporary  INTEGER NOT NULL CHECK (temporary IN (0, 1)),
  in_place_of TEXT                                -- staff.pin_hash then
) STRICT, WITHOUT ROWID;

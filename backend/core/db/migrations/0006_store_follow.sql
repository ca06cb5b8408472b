-- readable from: 1
-- Changes by managers that every lane of the store adopts: people, PINs, settings, prices. The latest change of each
-- subject is in effect, by a logical clock that all lanes compare in the same way, so that lanes agree after an outage.

-- Change in effect of each subject, from any lane.
CREATE TABLE store_register (
  kind    TEXT NOT NULL CHECK (kind <> ''),
  subject TEXT NOT NULL,
  -- Milliseconds since the Unix epoch; greater where a change must follow an earlier one from a clock that runs ahead.
  clock   INTEGER NOT NULL CHECK (clock > 0),
  lane    TEXT NOT NULL,                          -- lane of the change; of equal clocks the greater lane wins
  at      INTEGER NOT NULL,                       -- time on the clock of that lane
  by_id   TEXT REFERENCES staff (id),             -- NULL: the terminal, from its profile
  -- Newest clock of each lane whose changes of the subject were known to the author.
  seen    TEXT NOT NULL CHECK (json_valid(seen)),
  value   TEXT NOT NULL CHECK (json_valid(value)),
  -- Person whose change here was replaced by another lane's change, made without knowledge of it; NULL: none.
  over_id TEXT REFERENCES staff (id),
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX store_register_clock ON store_register (clock);

-- Changes of this lane, as sent to the store server.
CREATE TABLE store_change (
  id      INTEGER PRIMARY KEY,
  kind    TEXT NOT NULL CHECK (kind <> ''),
  subject TEXT NOT NULL,
  clock   INTEGER NOT NULL CHECK (clock > 0),
  at      INTEGER NOT NULL,
  by_id   TEXT REFERENCES staff (id),
  seen    TEXT NOT NULL CHECK (json_valid(seen)),
  value   TEXT NOT NULL CHECK (json_valid(value)),
  secret  BLOB                                    -- sealed with the lane's key; NULL: no secret
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

-- Progress of this lane in the changes of the other lanes. Separate from `store_cursor`, because a program of the
-- previous release applies no changes and moves that cursor past them.
CREATE TABLE store_change_cursor (
  stream TEXT PRIMARY KEY,
  seq    INTEGER NOT NULL CHECK (seq >= 0)
) STRICT, WITHOUT ROWID;
-- Kinds of changes that the program could apply which last wrote the cursor. A program that applies another kind reads
-- all changes again.
CREATE TABLE store_change_kinds (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  kinds TEXT NOT NULL CHECK (json_valid(kinds))
) STRICT;

-- PIN that was set at another lane. Valid while `staff.pin_hash` equals `in_place_of`: a program of the previous
-- release sets a PIN only in `staff.pin_hash`, and that PIN takes precedence.
CREATE TABLE staff_store_pin (
  staff_id   TEXT PRIMARY KEY REFERENCES staff (id),
  verifier   TEXT NOT NULL,                       -- keyed$N$r$p$salt$hash, keyed with key_sealed
  key_sealed BLOB NOT NULL,                       -- key of the verifier, sealed with the lane's key
  temporary  INTEGER NOT NULL CHECK (temporary IN (0, 1)),
  in_place_of TEXT                                -- staff.pin_hash when the row was written
) STRICT, WITHOUT ROWID;

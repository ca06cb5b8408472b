-- readable from: 1
-- Changes of other lanes that raise a right, or replace a credential of a person with rights. `store_register` has
-- them; they take effect here once a manager confirms them at this lane, or the owner at the server.
CREATE TABLE store_waiting (
  kind      TEXT NOT NULL CHECK (kind <> ''),
  subject   TEXT NOT NULL,
  clock     INTEGER NOT NULL CHECK (clock > 0),
  lane      TEXT NOT NULL,                        -- where it was changed
  at        INTEGER NOT NULL,                     -- by that lane's clock
  by_id     TEXT REFERENCES staff (id),           -- NULL: the terminal, as its profile said
  value     TEXT NOT NULL CHECK (json_valid(value)),
  secret    BLOB,                                 -- sealed with the lane's key; NULL: there is none
  overruled INTEGER NOT NULL CHECK (overruled IN (0, 1)), -- 1: it took the place of a change made here
  stream    TEXT,                                 -- its fact at the server; NULL: not known
  seq       INTEGER CHECK (seq > 0),
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;

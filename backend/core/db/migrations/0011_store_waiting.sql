-- readable from: 1
-- Changes of other lanes that grant permissions, or replace a credential of a person with permissions. `store_register`
-- contains them; they take effect here after a manager confirms them at this lane, or the owner at the server.
CREATE TABLE store_waiting (
  kind      TEXT NOT NULL CHECK (kind <> ''),
  subject   TEXT NOT NULL,
  clock     INTEGER NOT NULL CHECK (clock > 0),
  lane      TEXT NOT NULL,                        -- lane that made the change
  at        INTEGER NOT NULL,                     -- on the clock of that lane
  by_id     TEXT REFERENCES staff (id),           -- NULL: the terminal, from its profile
  value     TEXT NOT NULL CHECK (json_valid(value)),
  secret    BLOB,                                 -- sealed with the lane's key; NULL: no secret
  overruled INTEGER NOT NULL CHECK (overruled IN (0, 1)), -- 1: replaced a change made here
  stream    TEXT,                                 -- stream of its fact; NULL: unknown
  seq       INTEGER CHECK (seq > 0),
  PRIMARY KEY (kind, subject)
) STRICT, WITHOUT ROWID;

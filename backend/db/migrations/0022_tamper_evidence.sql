-- What the tables add up to, sealed with a key that is not in this file: whoever writes past the program is found out.
-- One row, which the program writes in the transaction of the last migration (backend/integrity).

CREATE TABLE tamper_evidence (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  counter    INTEGER NOT NULL CHECK (counter > 0),       -- raised by every change of a row that a digest covers
  keyed_from INTEGER NOT NULL CHECK (keyed_from >= 0),   -- entries of the journal up to this one were chained without a key
  marked     INTEGER NOT NULL CHECK (marked IN (0, 1)),  -- 1: the mark outside the database was written
  state      BLOB NOT NULL                               -- the digest of each table, sealed and bound to the columns above
) STRICT;

-- Of the operation as its newest entry of the journal left it, under a key. NULL: written without one.
ALTER TABLE operation ADD COLUMN digest BLOB;

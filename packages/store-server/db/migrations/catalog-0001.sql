-- Catalogs that lanes of a store imported, and the files of those that others may still need. Clocks are those of the
-- lanes' changes, in milliseconds.
CREATE TABLE catalog_import (
  store text NOT NULL,
  id    text NOT NULL,
  -- what is one word of the store, whichever lane said it: of several the first counts
  word  text NOT NULL,
  clock bigint NOT NULL CHECK (clock > 0),
  lane  text NOT NULL,
  hash  text NOT NULL,
  PRIMARY KEY (store, id)
);
CREATE INDEX catalog_import_of_word ON catalog_import (store, word, clock, lane);

CREATE TABLE catalog_file (
  store    text NOT NULL,
  hash     text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  bytes    bigint NOT NULL CHECK (bytes > 0),
  parts    integer NOT NULL CHECK (parts > 0),
  -- all parts are there and are what the hash says
  is_whole boolean NOT NULL DEFAULT false,
  at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (store, hash)
);
CREATE TABLE catalog_file_part (
  store  text NOT NULL,
  hash   text NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  chunk  bytea NOT NULL,
  PRIMARY KEY (store, hash, number),
  FOREIGN KEY (store, hash) REFERENCES catalog_file (store, hash) ON DELETE CASCADE
);

-- By which import each lane sells, as it said last.
CREATE TABLE catalog_sold (
  store   text NOT NULL,
  lane    text NOT NULL,
  clock   bigint NOT NULL,
  of_lane text NOT NULL,
  at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (store, lane)
);

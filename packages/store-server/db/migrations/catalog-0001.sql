-- Catalogs that lanes of a store imported, and the files that other lanes may still need. Clocks are the logical clocks
-- of the lanes' changes, in milliseconds.
CREATE TABLE catalog_import (
  store text NOT NULL,
  id    text NOT NULL,
  -- Key of the import in the store: its id or, for a catalog of the profile, the profile's generation and hash, which
  -- are the same at all lanes. The first import with a key counts.
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
  -- true: all parts are stored and match the hash.
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

-- Import that each lane last reported as its current catalog.
CREATE TABLE catalog_sold (
  store   text NOT NULL,
  lane    text NOT NULL,
  clock   bigint NOT NULL,
  of_lane text NOT NULL,
  at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (store, lane)
);

-- readable from: 1
-- The catalog, followed by every lane of a store. What counts of an item or of a planned price stands in
-- `store_register`; here is what the lane needs to put that over the catalog that it sells from.

-- Items that were changed one by one at a lane of the store: when, by the clock of `store_register`, and what they
-- claim.
CREATE TABLE store_catalog_item (
  sku         TEXT PRIMARY KEY,
  clock       INTEGER NOT NULL CHECK (clock > 0),
  lane        TEXT NOT NULL,
  barcode_key TEXT                                -- NULL: none, or the item was taken out
) STRICT, WITHOUT ROWID;
CREATE INDEX store_catalog_item_barcode ON store_catalog_item (barcode_key) WHERE barcode_key IS NOT NULL;

-- How an item of an edition stood before any change of a lane was put over it.
CREATE TABLE store_catalog_base (
  edition_id  TEXT NOT NULL,
  sku         TEXT NOT NULL,
  item        TEXT CHECK (json_valid(item)),      -- NULL: the edition does not have it
  planned     TEXT NOT NULL CHECK (json_valid(planned)),
  barcode_key TEXT,
  PRIMARY KEY (edition_id, sku)
) STRICT, WITHOUT ROWID;
CREATE INDEX store_catalog_base_barcode ON store_catalog_base (edition_id, barcode_key) WHERE barcode_key IS NOT NULL;

-- Items whose change has come and is not in the edition yet.
CREATE TABLE store_catalog_due (sku TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Items that are sold without their barcode, because a later change gave it to another item.
CREATE TABLE store_catalog_barcode_lost (
  sku     TEXT PRIMARY KEY,
  barcode TEXT NOT NULL,
  to_sku  TEXT NOT NULL,
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Catalogs that took the place of the one before, at whichever lane. The latest counts at all of them.
CREATE TABLE store_catalog_import (
  id    TEXT PRIMARY KEY,
  clock INTEGER NOT NULL CHECK (clock > 0),
  lane  TEXT NOT NULL,
  at    INTEGER NOT NULL,
  by_id TEXT REFERENCES staff (id),               -- NULL: the terminal, as its profile said
  value TEXT NOT NULL CHECK (json_valid(value)),
  -- changes of this lane that it took the place of without knowing of them
  lost  INTEGER NOT NULL DEFAULT 0 CHECK (lost >= 0)
) STRICT, WITHOUT ROWID;

-- What has come of the file of such a catalog, until it is whole.
CREATE TABLE store_catalog_part (
  hash   TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  chunk  BLOB NOT NULL,
  PRIMARY KEY (hash, number)
) STRICT;

-- The badge of a person as lanes of the store know it. It holds while `staff.badge_hash` is what it was when this was
-- written: a program of the release before gives another badge there, and goes by that.
CREATE TABLE staff_store_badge (
  staff_id   TEXT PRIMARY KEY REFERENCES staff (id),
  hash       BLOB NOT NULL CHECK (length(hash) = 32),  -- of its number, under a key of its own
  key_sealed BLOB NOT NULL,                            -- that key, sealed with the lane's
  active     INTEGER NOT NULL CHECK (active IN (0, 1)),
  of_hash    BLOB                                      -- staff.badge_hash then; NULL: it was not read at this lane yet
) STRICT, WITHOUT ROWID;

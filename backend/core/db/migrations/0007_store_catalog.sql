-- readable from: 1
-- Catalog changes that every lane of a store adopts. `store_register` contains the change in effect of each item and
-- planned price; these tables contain the data to apply the changes to the catalog of the lane.

-- Items that lanes changed one by one: clock of the change as in `store_register`, and barcode of the item.
CREATE TABLE store_catalog_item (
  sku         TEXT PRIMARY KEY,
  clock       INTEGER NOT NULL CHECK (clock > 0),
  lane        TEXT NOT NULL,
  barcode_key TEXT                                -- NULL: no barcode, or the item was removed
) STRICT, WITHOUT ROWID;
CREATE INDEX store_catalog_item_barcode ON store_catalog_item (barcode_key) WHERE barcode_key IS NOT NULL;

-- Item of an edition before the changes of lanes were applied.
CREATE TABLE store_catalog_base (
  edition_id  TEXT NOT NULL,
  sku         TEXT NOT NULL,
  item        TEXT CHECK (json_valid(item)),      -- NULL: not in the edition
  planned     TEXT NOT NULL CHECK (json_valid(planned)),
  barcode_key TEXT,
  PRIMARY KEY (edition_id, sku)
) STRICT, WITHOUT ROWID;
CREATE INDEX store_catalog_base_barcode ON store_catalog_base (edition_id, barcode_key) WHERE barcode_key IS NOT NULL;

-- Items with a received change that is not applied to the edition yet.
CREATE TABLE store_catalog_due (sku TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Items that are sold without their barcode, because a later change gave it to another item.
CREATE TABLE store_catalog_barcode_lost (
  sku     TEXT PRIMARY KEY,
  barcode TEXT NOT NULL,
  to_sku  TEXT NOT NULL,
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Imported catalogs of all lanes. All lanes use the latest one.
CREATE TABLE store_catalog_import (
  id    TEXT PRIMARY KEY,
  clock INTEGER NOT NULL CHECK (clock > 0),
  lane  TEXT NOT NULL,
  at    INTEGER NOT NULL,
  by_id TEXT REFERENCES staff (id),               -- NULL: the terminal, from its profile
  value TEXT NOT NULL CHECK (json_valid(value)),
  -- Number of this lane's changes that the import replaced without knowledge of them.
  lost  INTEGER NOT NULL DEFAULT 0 CHECK (lost >= 0)
) STRICT, WITHOUT ROWID;

-- Received parts of the file of an import, until the file is complete.
CREATE TABLE store_catalog_part (
  hash   TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  chunk  BLOB NOT NULL,
  PRIMARY KEY (hash, number)
) STRICT;

-- Badge of a person as known to the lanes of the store. Valid while `staff.badge_hash` equals `of_hash`: a program of
-- the previous release sets a badge only in `staff.badge_hash`, and that badge takes precedence.
CREATE TABLE staff_store_badge (
  staff_id   TEXT PRIMARY KEY REFERENCES staff (id),
  hash       BLOB NOT NULL CHECK (length(hash) = 32),  -- keyed with key_sealed
  key_sealed BLOB NOT NULL,                            -- key of the hash, sealed with the lane's key
  active     INTEGER NOT NULL CHECK (active IN (0, 1)),
  -- staff.badge_hash when the row was written; NULL: not read at this lane yet
  of_hash    BLOB
) STRICT, WITHOUT ROWID;

-- readable from: 1
-- Number of pieces in one unit of a line that is a pack with its own price. NULL: the line has single pieces.
ALTER TABLE sale_line ADD COLUMN pack_pieces INTEGER CHECK (pack_pieces BETWEEN 2 AND 999);

-- Further codes of items and their packs, in addition to `barcode_key` of store_catalog_item and store_catalog_base.
CREATE TABLE store_catalog_item_code (
  barcode_key TEXT NOT NULL,
  sku         TEXT NOT NULL,
  PRIMARY KEY (sku, barcode_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX store_catalog_item_code_key ON store_catalog_item_code (barcode_key);
CREATE TABLE store_catalog_base_code (
  edition_id  TEXT NOT NULL,
  barcode_key TEXT NOT NULL,
  sku         TEXT NOT NULL,
  PRIMARY KEY (edition_id, barcode_key, sku)
) STRICT, WITHOUT ROWID;

-- Further codes that items lost to a later change of another item, in addition to store_catalog_barcode_lost.
CREATE TABLE store_catalog_code_lost (
  sku     TEXT NOT NULL,
  barcode TEXT NOT NULL,
  to_sku  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (sku, barcode)
) STRICT, WITHOUT ROWID;

-- Books, children's wear and diapers are categories of their own: what each province takes on them is the program's to know.
-- SQLite changes no CHECK in place: both tables are made anew with the rows that they had.
CREATE TABLE item_anew (
  id INTEGER PRIMARY KEY,                          -- alphabetical by name; item_words and item_barcodes refer to it
  sku TEXT NOT NULL UNIQUE,
  barcode TEXT,
  barcode_key TEXT UNIQUE,
  name_en TEXT NOT NULL,
  name_fr TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
  tax_category TEXT NOT NULL CHECK (tax_category IN ('standard', 'book', 'children-wear', 'diapers', 'federal-only', 'zero-rated')),
  department_id TEXT NOT NULL,
  category_id TEXT
) STRICT;
INSERT INTO item_anew (id, sku, barcode, barcode_key, name_en, name_fr, price_cents, tax_category, department_id, category_id)
  SELECT id, sku, barcode, barcode_key, name_en, name_fr, price_cents, tax_category, department_id, category_id FROM item;
DROP TABLE item;
ALTER TABLE item_anew RENAME TO item;

CREATE TABLE sale_line_anew (
  sale_id          TEXT NOT NULL REFERENCES sale (id),
  number           INTEGER NOT NULL CHECK (number > 0),
  sku              TEXT NOT NULL,
  name_en          TEXT NOT NULL,
  name_fr          TEXT NOT NULL,
  quantity         INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  unit_price_cents INTEGER NOT NULL,
  tax_category     TEXT NOT NULL CHECK (tax_category IN ('standard', 'book', 'children-wear', 'diapers', 'federal-only', 'zero-rated')),
  department_id    TEXT NOT NULL,
  category_id      TEXT,
  voided           INTEGER NOT NULL DEFAULT 0 CHECK (voided IN (0, 1)),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;
INSERT INTO sale_line_anew (sale_id, number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id, category_id, voided)
  SELECT sale_id, number, sku, name_en, name_fr, quantity, unit_price_cents, tax_category, department_id, category_id, voided FROM sale_line;
DROP TABLE sale_line;
ALTER TABLE sale_line_anew RENAME TO sale_line;

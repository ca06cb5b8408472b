-- What a cashier may change on a sale: prices, discounts and coupons, exemption from tax, notes; who approves, and what the
-- last change can be taken back to. Money is integer cents, shares are parts per million.

-- A supervisor approves what a cashier may not do alone. The role stays 'cashier' beside it: no table is made anew.
ALTER TABLE staff ADD COLUMN supervises INTEGER NOT NULL DEFAULT 0 CHECK (supervises IN (0, 1));

-- An item whose price is asked for when it is rung, between these bounds. Both or none.
ALTER TABLE item ADD COLUMN open_least_cents INTEGER CHECK (open_least_cents >= 0);
ALTER TABLE item ADD COLUMN open_most_cents INTEGER CHECK ((open_most_cents IS NULL) = (open_least_cents IS NULL) AND (open_most_cents IS NULL OR open_most_cents >= open_least_cents));

ALTER TABLE sale ADD COLUMN note TEXT CHECK (length(note) BETWEEN 1 AND 120);
-- Why no tax is taken, or only the federal one, and the number of the certificate that says so.
ALTER TABLE sale ADD COLUMN exemption TEXT CHECK (json_valid(exemption));

ALTER TABLE sale_line ADD COLUMN note TEXT CHECK (length(note) BETWEEN 1 AND 120);
-- The catalog's price, where another was put in its place.
ALTER TABLE sale_line ADD COLUMN regular_price_cents INTEGER CHECK (regular_price_cents >= 0);

-- What was taken off the price of these pieces when they were sold: they give back what was paid for them.
ALTER TABLE return_line ADD COLUMN discount_cents INTEGER NOT NULL DEFAULT 0 CHECK (discount_cents BETWEEN 0 AND quantity * unit_price_cents);

-- What takes something off, as it was granted. What it comes to is worked out from the lines as they stand.
CREATE TABLE sale_discount (
  sale_id       TEXT NOT NULL REFERENCES sale (id),
  number        INTEGER NOT NULL CHECK (number > 0),
  reaches       TEXT NOT NULL CHECK (reaches IN ('line', 'item', 'department', 'sale')),
  target        TEXT,                                  -- line number, SKU or department
  off_cents     INTEGER CHECK (off_cents > 0),
  off_ppm       INTEGER CHECK (off_ppm BETWEEN 1 AND 1000000),
  minimum_cents INTEGER NOT NULL DEFAULT 0 CHECK (minimum_cents >= 0), -- of what it reaches, before tax
  reason        TEXT,                                  -- of a discount by hand
  coupon        TEXT,                                  -- code of a coupon
  name_en       TEXT,                                  -- of a coupon
  name_fr       TEXT,
  approved_by   TEXT REFERENCES staff (id),
  removed       INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
  PRIMARY KEY (sale_id, number),
  CHECK (off_cents IS NULL OR off_ppm IS NULL),
  CHECK (off_cents IS NOT NULL OR off_ppm IS NOT NULL OR coupon IS NOT NULL),  -- a coupon of miles alone takes nothing off
  CHECK ((reaches = 'sale') = (target IS NULL)),
  CHECK ((reason IS NULL) <> (coupon IS NULL)),
  CHECK ((coupon IS NULL) = (name_en IS NULL) AND (coupon IS NULL) = (name_fr IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sale_discount_coupon_once ON sale_discount (sale_id, coupon) WHERE coupon IS NOT NULL AND removed = 0;
-- Of a closed sale nothing moves any more: its returns and the copies of its receipt go by these rows.
CREATE TRIGGER sale_discount_opens BEFORE INSERT ON sale_discount WHEN (SELECT state FROM sale WHERE id = NEW.sale_id) <> 'open' OR EXISTS (SELECT 1 FROM sale_discount WHERE sale_id = NEW.sale_id AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'a discount is granted once, on an open sale'); END;
CREATE TRIGGER sale_discount_keeps BEFORE UPDATE OF sale_id, number, reaches, target, off_cents, off_ppm, minimum_cents, reason, coupon, name_en, name_fr, approved_by ON sale_discount
BEGIN SELECT RAISE(ABORT, 'a discount stays as it was granted'); END;
CREATE TRIGGER sale_discount_rests BEFORE UPDATE ON sale_discount WHEN (SELECT state FROM sale WHERE id = NEW.sale_id) <> 'open'
BEGIN SELECT RAISE(ABORT, 'the sale is closed'); END;
CREATE TRIGGER sale_discount_stays BEFORE DELETE ON sale_discount BEGIN SELECT RAISE(ABORT, 'a discount is taken back, never deleted'); END;

-- The last change of an open sale and what stood before it. Good only while the sale is still of this version.
CREATE TABLE sale_undo (
  sale_id TEXT PRIMARY KEY REFERENCES sale (id),
  version INTEGER NOT NULL,
  change  TEXT NOT NULL CHECK (json_valid(change))
) STRICT, WITHOUT ROWID;

-- readable from: 1
-- Days after the sale within which the line can be returned, by the rules when it was rung; 0: final sale.
-- NULL: no rule.
ALTER TABLE sale_line ADD COLUMN return_days INTEGER CHECK (return_days BETWEEN 0 AND 3650);

-- Lowest price at which this lane sold a piece, or for items sold by weight a kilogram, on a day of the store
-- (YYYY-MM-DD): after promotions, without coupons, discounts and manual prices. Returns without a receipt have
-- the lowest price of some days.
CREATE TABLE sold_price (
  sku          TEXT NOT NULL,
  day          TEXT NOT NULL CHECK (length(day) = 10),
  lowest_cents INTEGER NOT NULL CHECK (lowest_cents >= 0),
  PRIMARY KEY (sku, day)
) STRICT, WITHOUT ROWID;

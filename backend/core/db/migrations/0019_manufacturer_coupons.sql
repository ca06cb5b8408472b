-- readable from: 1
-- Manufacturers' coupons that a manager added, changed or removed at a lane of the store, by code. NULL: removed.
CREATE TABLE store_manufacturer_coupon (
  code   TEXT PRIMARY KEY CHECK (length(code) BETWEEN 3 AND 80),
  coupon TEXT CHECK (json_valid(coupon))
) STRICT, WITHOUT ROWID;

-- JSON of the manufacturer's coupon that paid. Such a row has the kind `cheque`, so that the previous release counts
-- its paper in the drawer and refunds it as store credit. NULL: another payment.
ALTER TABLE tender ADD COLUMN coupon TEXT CHECK (json_valid(coupon));

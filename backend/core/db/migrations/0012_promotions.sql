-- readable from: 1
-- Promotions that a manager added, changed or removed at a lane of the store, by id. NULL: removed.
CREATE TABLE store_promotion (
  id        TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 40),
  promotion TEXT CHECK (json_valid(promotion))
) STRICT, WITHOUT ROWID;

-- Time when the line was rung (epoch ms): it decides which promotions are active for the line.
ALTER TABLE sale_line ADD COLUMN rung_at INTEGER;

-- Promotions and buyers of a partly paid sale (JSON): its prices do not follow later changes of promotions.
ALTER TABLE sale ADD COLUMN promotion_rules TEXT CHECK (json_valid(promotion_rules));

-- Id of the promotion whose reduction of one line this row stores. Such a row is written when its sale is completed,
-- and has a coupon code, so that the previous release reads it as a coupon.
ALTER TABLE sale_discount ADD COLUMN promotion TEXT CHECK (promotion <> '');

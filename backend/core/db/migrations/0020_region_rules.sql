-- readable from: 1
-- Corrections of lines whose shelf price was below the scanned price. A correction counts while the line has the shelf
-- price; its compensation counts while the discount is not removed. Amounts are of one piece.
CREATE TABLE price_correction (
  sale_id         TEXT NOT NULL REFERENCES sale (id),
  line_number     INTEGER NOT NULL CHECK (line_number > 0),
  scanned_cents   INTEGER NOT NULL,
  shelf_cents     INTEGER NOT NULL CHECK (shelf_cents >= 0),
  discount_number INTEGER CHECK (discount_number > 0),  -- NULL: without compensation
  PRIMARY KEY (sale_id, line_number)
) STRICT, WITHOUT ROWID;

-- Balances of gift cards that were paid out in cash. The sale has no lines and is cancelled: the card pays it, and the
-- cash is given back.
CREATE TABLE gift_card_cash_out (
  sale_id      TEXT PRIMARY KEY REFERENCES sale (id),
  voucher_id   TEXT NOT NULL REFERENCES voucher (id),
  at           INTEGER NOT NULL,
  staff_id     TEXT NOT NULL REFERENCES staff (id),
  approved_by  TEXT REFERENCES staff (id),
  shift_id     INTEGER NOT NULL REFERENCES shift (id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  cash_cents   INTEGER NOT NULL CHECK (cash_cents >= 0 AND abs(cash_cents - amount_cents) <= 2)
) STRICT, WITHOUT ROWID;
CREATE INDEX gift_card_cash_out_of_shift ON gift_card_cash_out (shift_id);
CREATE TRIGGER gift_card_cash_out_empties BEFORE INSERT ON gift_card_cash_out
  WHEN (SELECT coalesce(sum(cents), 0) FROM voucher_movement WHERE voucher_id = NEW.voucher_id) <> 0
  OR (SELECT coalesce(sum(amount_cents), 0) FROM tender
    WHERE sale_id = NEW.sale_id AND voucher_id = NEW.voucher_id) <> NEW.amount_cents
  OR EXISTS (SELECT 1 FROM gift_card_cash_out WHERE sale_id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'a cash-out pays the whole balance of a card once'); END;
CREATE TRIGGER gift_card_cash_out_keeps BEFORE UPDATE ON gift_card_cash_out
BEGIN SELECT RAISE(ABORT, 'a cash-out is written once'); END;
CREATE TRIGGER gift_card_cash_out_stays BEFORE DELETE ON gift_card_cash_out
BEGIN SELECT RAISE(ABORT, 'a cash-out is written once'); END;

-- A sale of $22.62 that coins paid with $22.60 can be given back as $22.62 of store credit: what leaves in coins is held
-- against the coins that came in, and what leaves in any form against what that payment was worth.

DROP TRIGGER refund_was_paid;
CREATE TRIGGER refund_was_paid BEFORE INSERT ON refund
BEGIN
  SELECT RAISE(ABORT, 'without a record only store credit goes back') WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NULL AND (NEW.kind <> 'store-credit' OR NEW.paid_by IS NOT NULL);
  SELECT RAISE(ABORT, 'it is not said what had paid') WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NOT NULL AND NEW.paid_by IS NULL;
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents
      + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id AND earlier.paid_by = NEW.paid_by)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id AND CASE WHEN voucher_id IS NOT NULL THEN 'voucher' ELSE kind END = NEW.paid_by);
  -- Coins are counted as they were handed over. What cash paid and goes back as store credit is no coin.
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id AND mine.sale_id IS NOT NULL AND NEW.kind = 'cash' AND
    NEW.amount_cents + NEW.rounding_cents
      + (SELECT coalesce(sum(earlier.amount_cents + earlier.rounding_cents), 0) FROM sale_return AS other JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id AND earlier.kind = 'cash')
      > (SELECT coalesce(sum(amount_cents + rounding_cents), 0) FROM tender WHERE sale_id = mine.sale_id AND kind = 'cash');
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id);
END;

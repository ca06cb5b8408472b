-- readable from: 1
-- Empty containers pay a part of their sale like cash, but are no payment: a return of the goods also refunds that
-- part. The trigger refuses less than before, so the previous release works with it. Cash is limited to whole five
-- cents of what was paid, because a refund for containers may be no multiple of five cents.
DROP TRIGGER refund_was_paid;
CREATE TRIGGER refund_was_paid BEFORE INSERT ON refund
BEGIN
  SELECT RAISE(ABORT, 'without a record only store credit goes back')
    WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NULL
    AND (NEW.kind <> 'store-credit' OR NEW.paid_by IS NOT NULL);
  SELECT RAISE(ABORT, 'it is not said what had paid')
    WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NOT NULL AND NEW.paid_by IS NULL;
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id
    AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents
      + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other
        JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id
        AND earlier.paid_by = NEW.paid_by)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id AND CASE
        WHEN voucher_id IS NOT NULL THEN 'voucher' ELSE kind END = NEW.paid_by)
      + (SELECT coalesce(sum(0 - quantity * unit_price_cents), 0) FROM sale_line WHERE sale_id = mine.sale_id
        AND sku = 'milepost:empties' AND voided = 0 AND NEW.paid_by = 'cash');
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id
    AND mine.sale_id IS NOT NULL AND NEW.kind = 'cash' AND
    NEW.amount_cents + NEW.rounding_cents
      + (SELECT coalesce(sum(earlier.amount_cents + earlier.rounding_cents), 0) FROM sale_return AS other
        JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id
        AND earlier.kind = 'cash')
      > max((SELECT coalesce(sum(amount_cents + rounding_cents), 0) FROM tender WHERE sale_id = mine.sale_id
        AND kind = 'cash'),
      (SELECT coalesce((sum(0 - quantity * unit_price_cents) + (SELECT coalesce(sum(amount_cents), 0) FROM tender
        WHERE sale_id = mine.sale_id AND kind = 'cash') + 2) / 5 * 5, 0) FROM sale_line WHERE sale_id = mine.sale_id
        AND sku = 'milepost:empties' AND voided = 0));
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id
    AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other
      JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id)
      + (SELECT coalesce(sum(0 - quantity * unit_price_cents), 0) FROM sale_line WHERE sale_id = mine.sale_id
        AND sku = 'milepost:empties' AND voided = 0);
END;

-- 1: the discount is spread over goods, so that the order of scans does not matter. NULL: over lines, by an earlier
-- release; closed sales keep their cents.
ALTER TABLE sale_discount ADD COLUMN by_goods INTEGER CHECK (by_goods = 1);

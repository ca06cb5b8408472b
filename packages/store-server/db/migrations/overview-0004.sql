-- Adds deposits and empty containers as parts of a sale: neither is revenue.
ALTER TABLE overview_amount DROP CONSTRAINT overview_amount_part_check;
ALTER TABLE overview_amount ADD CHECK (part IN ('tender', 'tax', 'miles', 'gift-card', 'deposit', 'empties'));

-- Who opened a sale is not always who served the customer: another cashier may take over, and who comes last is whom the
-- receipt names. NULL: whoever opened it, as for every sale from before this column.
ALTER TABLE sale ADD COLUMN served_by TEXT REFERENCES staff (id);

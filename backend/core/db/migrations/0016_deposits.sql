-- readable from: 1
-- JSON of the deposits and fees of one unit of a line, as they were when it was rung. NULL: none.
ALTER TABLE sale_line ADD COLUMN charges TEXT CHECK (json_valid(charges));

-- Number of the line that a deposit or fee belongs to. Such a line is written when the sale is completed, so that the
-- previous release totals, prints and returns it as an item. NULL: goods, gift cards or empty containers.
ALTER TABLE sale_line ADD COLUMN charge_of INTEGER CHECK (charge_of > 0);

-- Deposits and fees that a manager added, changed or removed at a lane of the store, by id. NULL: removed.
CREATE TABLE store_charge (
  id     TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 40),
  charge TEXT CHECK (json_valid(charge))
) STRICT, WITHOUT ROWID;

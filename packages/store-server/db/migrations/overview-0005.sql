-- Removes taxes of zero: as in the report of a lane, a tax counts only the sales and returns that have it.
DELETE FROM overview_amount WHERE part = 'tax' AND cents = 0;

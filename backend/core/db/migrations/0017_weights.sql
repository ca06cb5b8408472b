-- readable from: 1
-- Measured quantity of a line with quantity 1 (JSON: unit, net and tare in thousandths, price per unit, source, and the
-- names of the line without its measure, which `names` contains for the previous release). NULL: sold by the piece.
ALTER TABLE sale_line ADD COLUMN measure TEXT CHECK (json_valid(measure));
ALTER TABLE return_line ADD COLUMN measure TEXT CHECK (json_valid(measure));

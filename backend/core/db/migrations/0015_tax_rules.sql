-- readable from: 1
-- Tax rule of the item and JSON of the tax exemption of the line. When the sale is completed, `tax_category` receives
-- the category whose taxes the line has; then only the rule `no-federal-tax` remains.
ALTER TABLE sale_line ADD COLUMN tax_rule TEXT CHECK (tax_rule <> '');
ALTER TABLE sale_line ADD COLUMN exemption TEXT CHECK (json_valid(exemption));
ALTER TABLE return_line ADD COLUMN tax_rule TEXT CHECK (tax_rule <> '');

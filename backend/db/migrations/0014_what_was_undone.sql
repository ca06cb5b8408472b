-- What stood before the last change of a sale may hold the sealed number of a collector who left it: it is kept only
-- while the change can be taken back.

DELETE FROM sale_undo WHERE NOT EXISTS (
  SELECT 1 FROM sale WHERE sale.id = sale_undo.sale_id AND sale.version = sale_undo.version AND sale.state = 'open' AND sale.held_at IS NULL);

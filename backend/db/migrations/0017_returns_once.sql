-- A return whose answer was lost is asked for again with the key that the screen made for it: it is told, and not made
-- twice. NULL: from before this column.
ALTER TABLE sale_return ADD COLUMN idempotency_key TEXT;
CREATE UNIQUE INDEX sale_return_idempotency_key ON sale_return (idempotency_key) WHERE idempotency_key IS NOT NULL;
DROP TRIGGER sale_return_is_new;
CREATE TRIGGER sale_return_is_new BEFORE INSERT ON sale_return WHEN EXISTS (SELECT 1 FROM sale_return WHERE id = NEW.id OR sequence = NEW.sequence OR idempotency_key = NEW.idempotency_key) BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;

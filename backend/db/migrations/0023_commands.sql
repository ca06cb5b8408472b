-- What the windows asked for in the last day, by the key that each command carries: its effect is in the same transaction.
CREATE TABLE command (
  key         TEXT PRIMARY KEY,
  at          INTEGER NOT NULL,                              -- epoch ms
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32), -- of what was asked, keyed
  answer      BLOB                                           -- sealed; NULL while the effect is on its way
) STRICT, WITHOUT ROWID;
CREATE INDEX command_at ON command (at);

-- The key of a return is the key of its command.
DROP INDEX sale_return_idempotency_key;
DROP TRIGGER sale_return_is_new;
ALTER TABLE sale_return DROP COLUMN idempotency_key;
CREATE TRIGGER sale_return_is_new BEFORE INSERT ON sale_return WHEN EXISTS (SELECT 1 FROM sale_return WHERE id = NEW.id OR sequence = NEW.sequence) BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;

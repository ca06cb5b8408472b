-- Every arrow waits for the disk, and the disk is asked for every page that it touches: what an arrow changes stands on fewer of them.

-- Whether the machine still has work with an operation. A column of its own: SQLite writes a partial index anew with every
-- change of a column that its condition names, and most arrows leave this one as it is.
ALTER TABLE operation ADD COLUMN open INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1));
UPDATE operation SET open = 1 WHERE state IN ('intent', 'retry', 'reversing', 'queued', 'sent');
DROP INDEX operation_open;
DROP INDEX operation_open_of_collector;
CREATE INDEX operation_open ON operation (collector_hash) WHERE open = 1;
CREATE TRIGGER operation_is_born_open AFTER INSERT ON operation WHEN NEW.open <> (NEW.state IN ('intent', 'retry', 'reversing', 'queued', 'sent'))
BEGIN SELECT RAISE(ABORT, 'open must say what the state says'); END;
CREATE TRIGGER operation_stays_open AFTER UPDATE OF state, open ON operation WHEN NEW.open <> (NEW.state IN ('intent', 'retry', 'reversing', 'queued', 'sent'))
BEGIN SELECT RAISE(ABORT, 'open must say what the state says'); END;

-- How often the newest call of an operation was sent stands beside its state, so that the row of a call never changes at all.
ALTER TABLE operation ADD COLUMN sends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE operation ADD COLUMN first_sent_at INTEGER;
UPDATE operation SET (sends, first_sent_at) = (SELECT sends, first_sent_at FROM operation_call WHERE operation_id = operation.id ORDER BY purpose DESC LIMIT 1)
  WHERE EXISTS (SELECT 1 FROM operation_call WHERE operation_id = operation.id);
DROP TRIGGER operation_call_bytes_are_frozen;
ALTER TABLE operation_call DROP COLUMN sends;
ALTER TABLE operation_call DROP COLUMN first_sent_at;
CREATE TRIGGER operation_call_is_frozen BEFORE UPDATE ON operation_call
BEGIN SELECT RAISE(ABORT, 'a call never changes'); END;

-- The entries of one operation are found from its newest one backwards, each by its number, and need no index of their own.
ALTER TABLE operation ADD COLUMN newest_entry INTEGER;
ALTER TABLE journal_entry ADD COLUMN previous_of_operation INTEGER;
UPDATE operation SET newest_entry = newest.seq FROM (SELECT operation_id, max(seq) AS seq FROM journal_entry GROUP BY operation_id) AS newest WHERE newest.operation_id = operation.id;
DROP TRIGGER journal_entry_is_append_only_update;
UPDATE journal_entry SET previous_of_operation = link.previous
  FROM (SELECT seq, lag(seq) OVER (PARTITION BY operation_id ORDER BY seq) AS previous FROM journal_entry) AS link WHERE link.seq = journal_entry.seq AND link.previous IS NOT NULL;
CREATE TRIGGER journal_entry_is_append_only_update BEFORE UPDATE ON journal_entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
DROP INDEX journal_entry_by_operation;

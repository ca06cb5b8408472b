-- readable from: 1
-- Records that the lane sends to the store server, and its progress. Without a store server the facts wait: a lane that
-- joins a store later sends all of them, including records from before this migration.

-- One stream for each epoch of this database, with a random name. A restored copy continues in a new stream.
CREATE TABLE store_stream (
  epoch   INTEGER PRIMARY KEY CHECK (epoch > 0),
  name    TEXT NOT NULL UNIQUE CHECK (length(name) = 32),
  -- Newest number that the server has stored. Decreases when the server's database is restored from a backup.
  told    INTEGER NOT NULL DEFAULT 0 CHECK (told >= 0)
) STRICT;
CREATE TRIGGER store_stream_keeps BEFORE UPDATE OF epoch, name ON store_stream
BEGIN SELECT RAISE(ABORT, 'a stream keeps its name'); END;

-- Reference to a closed record that never changes; its content is read when the fact is sent. Numbered from 1 without a
-- gap within an epoch.
CREATE TABLE store_fact (
  epoch   INTEGER NOT NULL REFERENCES store_stream (epoch),
  seq     INTEGER NOT NULL CHECK (seq > 0),
  kind    TEXT NOT NULL CHECK (kind <> ''),
  subject TEXT NOT NULL,
  PRIMARY KEY (epoch, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER store_fact_keeps BEFORE UPDATE ON store_fact BEGIN SELECT RAISE(ABORT, 'a fact is written once'); END;
CREATE TRIGGER store_fact_stays BEFORE DELETE ON store_fact BEGIN SELECT RAISE(ABORT, 'a fact is written once'); END;

-- Progress of this lane in the streams of the other lanes, and the facts that it could not apply (`store_aside`).
CREATE TABLE store_cursor (
  stream TEXT PRIMARY KEY,
  seq    INTEGER NOT NULL CHECK (seq >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE store_aside (
  stream  TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  reason  TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (stream, seq)
) STRICT, WITHOUT ROWID;
-- Key that the lanes of the store share, sealed with the lane's own key.
CREATE TABLE store_key (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  key_sealed BLOB NOT NULL
) STRICT;

-- An insert into this view adds a fact with the next number. The database has one writer, so the numbers have no gaps.
CREATE VIEW store_told AS SELECT '' AS kind, '' AS subject WHERE 0;
CREATE TRIGGER store_tells INSTEAD OF INSERT ON store_told
BEGIN
  INSERT INTO store_fact (epoch, seq, kind, subject)
  SELECT stream.epoch, coalesce((SELECT max(seq) FROM store_fact WHERE epoch = stream.epoch), 0) + 1,
    NEW.kind, NEW.subject
  FROM store_stream AS stream ORDER BY stream.epoch DESC LIMIT 1;
END;

INSERT INTO store_stream (epoch, name)
  SELECT coalesce(max(number), 1), lower(hex(randomblob(16))) FROM lane_epoch;
CREATE TRIGGER store_stream_of_epoch AFTER INSERT ON lane_epoch
BEGIN INSERT INTO store_stream (epoch, name) VALUES (NEW.number, lower(hex(randomblob(16)))); END;

-- Adds a fact for each record that was closed before this migration, in order.
INSERT INTO store_fact (epoch, seq, kind, subject)
  SELECT (SELECT max(epoch) FROM store_stream), row_number() OVER (ORDER BY at, place, subject), kind, subject FROM (
    SELECT closed_at AS at, 1 AS place, 'sale' AS kind, id AS subject FROM sale WHERE closed_at IS NOT NULL
    UNION ALL SELECT at, 2, 'return', id FROM sale_return
    UNION ALL SELECT at, 3, 'voucher-entry', CAST(id AS TEXT) FROM voucher_entry
    UNION ALL SELECT at, 4, 'cash-movement', CAST(id AS TEXT) FROM cash_movement
    UNION ALL SELECT closed_at, 5, 'shift', CAST(id AS TEXT) FROM shift WHERE closed_at IS NOT NULL
    UNION ALL SELECT at, 6, 'z-report', CAST(number AS TEXT) FROM z_report
    UNION ALL SELECT changed_at, 7, 'operation', id FROM operation WHERE open = 0);

CREATE TRIGGER store_tells_sale AFTER UPDATE OF state ON sale WHEN OLD.state = 'open' AND NEW.state <> 'open'
BEGIN INSERT INTO store_told (kind, subject) VALUES ('sale', NEW.id); END;
CREATE TRIGGER store_tells_return AFTER INSERT ON sale_return
BEGIN INSERT INTO store_told (kind, subject) VALUES ('return', NEW.id); END;
CREATE TRIGGER store_tells_voucher_entry AFTER INSERT ON voucher_entry
BEGIN INSERT INTO store_told (kind, subject) VALUES ('voucher-entry', CAST(NEW.id AS TEXT)); END;
CREATE TRIGGER store_tells_cash_movement AFTER INSERT ON cash_movement
BEGIN INSERT INTO store_told (kind, subject) VALUES ('cash-movement', CAST(NEW.id AS TEXT)); END;
CREATE TRIGGER store_tells_shift AFTER UPDATE OF closed_at ON shift WHEN OLD.closed_at IS NULL AND NEW.closed_at > 0
BEGIN INSERT INTO store_told (kind, subject) VALUES ('shift', CAST(NEW.id AS TEXT)); END;
CREATE TRIGGER store_tells_z_report AFTER INSERT ON z_report
BEGIN INSERT INTO store_told (kind, subject) VALUES ('z-report', CAST(NEW.number AS TEXT)); END;
-- Sends only final states; the intermediate states are in the lane's own journal.
CREATE TRIGGER store_tells_operation AFTER UPDATE OF state ON operation
  WHEN NEW.state <> OLD.state AND NEW.open = 0
BEGIN INSERT INTO store_told (kind, subject) VALUES ('operation', NEW.id); END;
CREATE TRIGGER store_tells_resolution AFTER INSERT ON operation_resolution
BEGIN INSERT INTO store_told (kind, subject) VALUES ('operation', NEW.operation_id); END;

-- readable from: 1
-- Greatest number of each stream that the server ever had. A restore of the server's database decreases `told`, but not
-- this number. Other lanes may return goods of a sale up to this number, so this lane must reserve a return first:
-- after a restore, another lane may have taken goods back and not have sent its return again yet.
CREATE TABLE store_confirmed (
  epoch INTEGER PRIMARY KEY REFERENCES store_stream (epoch),
  seq   INTEGER NOT NULL CHECK (seq >= 0)
) STRICT;
INSERT INTO store_confirmed (epoch, seq) SELECT epoch, told FROM store_stream;
CREATE TRIGGER store_stream_confirmed AFTER UPDATE OF told ON store_stream
BEGIN
  INSERT INTO store_confirmed (epoch, seq) VALUES (NEW.epoch, NEW.told)
    ON CONFLICT (epoch) DO UPDATE SET seq = max(seq, excluded.seq);
END;

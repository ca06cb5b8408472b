-- readable from: 1
-- The furthest that the server ever had of each stream. `told` goes back where the server's database did; the right to
-- give goods of a sale back does not: another lane may have taken them back, and not have told it again yet.
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

-- readable from: 1
-- Greatest number of each stream of the store for which the server sent this lane a proof. After a restore of the
-- store's database, the server requires this proof to accept how far the lane has read.
CREATE TABLE store_heard (
  stream TEXT PRIMARY KEY,
  seq    INTEGER NOT NULL CHECK (seq >= 0),
  proof  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- readable from: 1
-- The furthest number of each stream of the store for which its server gave this lane a proof. After the store's
-- database was restored, the server believes what the lane has read only with that proof.
CREATE TABLE store_heard (
  stream TEXT PRIMARY KEY,
  seq    INTEGER NOT NULL CHECK (seq >= 0),
  proof  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

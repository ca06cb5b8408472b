-- Receipts that customers open by their address, until they expire. `id` is a hash of the token in the address, and
-- `sealed` opens only with that token.
CREATE TABLE online_receipt (
  id         text PRIMARY KEY,
  store      text NOT NULL,
  lane       text NOT NULL,
  expires_at bigint NOT NULL,
  sealed     bytea NOT NULL
);
CREATE INDEX online_receipt_expiry ON online_receipt (expires_at);

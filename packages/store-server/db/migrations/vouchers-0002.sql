-- In a database restored from a backup, a draw can arrive before the transfer that it was granted from. `held_cents` is
-- negative until then, and the store grants nothing from a negative amount.
ALTER TABLE voucher_account DROP CONSTRAINT voucher_account_held_cents_check;

-- A draw without an earlier row is inserted as taken when its lane sends it. released: granted, never confirmed, and
-- held again after the owner checked the lane's papers.
ALTER TABLE voucher_ledger DROP CONSTRAINT voucher_ledger_state_check;
ALTER TABLE voucher_ledger ADD CONSTRAINT voucher_ledger_state_check
  CHECK (state IN ('handed-over', 'granted', 'taken', 'refused', 'cancelled', 'released'));
CREATE INDEX voucher_granted_since ON voucher_ledger (at) WHERE state = 'granted';

-- Person and reason of a release. If the lane sends the draw afterwards, both rows remain.
CREATE TABLE voucher_release (
  store text NOT NULL,
  id    uuid NOT NULL,
  by    text NOT NULL,
  why   text NOT NULL,
  at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (store, id),
  FOREIGN KEY (store, id) REFERENCES voucher_ledger (store, id)
);

-- Adds the vouchers with a negative `held_cents` when no stream is awaited: more was taken than existed.
CREATE OR REPLACE VIEW voucher_wrong AS
  SELECT account.store, account.hash, account.last4,
    issued_cents - redeemed_cents + given_back_cents AS worth_cents,
    held_cents, coalesce(granted.cents, 0) AS granted_cents, coalesce(lanes.cents, 0) AS lanes_cents
  FROM voucher_account AS account
  LEFT JOIN LATERAL (SELECT sum(amount_cents) AS cents FROM voucher_ledger AS ledger
    WHERE ledger.store = account.store AND ledger.hash = account.hash AND state = 'granted') AS granted ON true
  LEFT JOIN LATERAL (SELECT sum(at_lane.cents) AS cents, min(at_lane.cents) AS least FROM voucher_at_lane AS at_lane
    WHERE at_lane.store = account.store AND at_lane.hash = account.hash) AS lanes ON true
  WHERE issued_cents - redeemed_cents + given_back_cents
      <> held_cents + coalesce(granted.cents, 0) + coalesce(lanes.cents, 0)
    OR lanes.least < 0
    OR (held_cents < 0 AND NOT EXISTS (SELECT 1 FROM stream_awaited AS awaited
      WHERE awaited.store = account.store AND ended_at IS NULL));

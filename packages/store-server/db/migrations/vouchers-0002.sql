-- In a database that was put back from a backup a draw may be told before the hand-over that it was granted from: then
-- less than nothing is held for a while. Nothing is granted of that.
ALTER TABLE voucher_account DROP CONSTRAINT voucher_account_held_cents_check;

-- Such a draw has no row of before: it is written as taken when its lane tells it.
-- released: granted, never told, and held again by the word of the owner who looked at the papers.
ALTER TABLE voucher_ledger DROP CONSTRAINT voucher_ledger_state_check;
ALTER TABLE voucher_ledger ADD CONSTRAINT voucher_ledger_state_check
  CHECK (state IN ('handed-over', 'granted', 'taken', 'refused', 'cancelled', 'released'));
CREATE INDEX voucher_granted_since ON voucher_ledger (at) WHERE state = 'granted';

-- Who released a draw, and why. Its lane may tell it all the same: then both stand.
CREATE TABLE voucher_release (
  store text NOT NULL,
  id    uuid NOT NULL,
  by    text NOT NULL,
  why   text NOT NULL,
  at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (store, id),
  FOREIGN KEY (store, id) REFERENCES voucher_ledger (store, id)
);

-- As before; and where less than nothing is held once all lanes have told everything: more was taken than there was.
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

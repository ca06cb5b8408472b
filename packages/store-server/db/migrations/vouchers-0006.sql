-- stranded: the value was at a lane that was replaced without a proper shutdown. Only the papers of that lane show
-- whether the value was spent; the owner releases it. lease_until: end of the old lane's right to pay; NULL: no known
-- end.
ALTER TABLE voucher_ledger DROP CONSTRAINT voucher_ledger_state_check;
ALTER TABLE voucher_ledger ADD CONSTRAINT voucher_ledger_state_check
  CHECK (state IN ('handed-over', 'granted', 'taken', 'refused', 'cancelled', 'released', 'stranded'));
ALTER TABLE voucher_ledger ADD COLUMN stranded_at timestamptz, ADD COLUMN lease_until timestamptz;
CREATE INDEX voucher_stranded ON voucher_ledger (store, lane) WHERE stranded_at IS NOT NULL;

CREATE OR REPLACE VIEW voucher_wrong AS
  SELECT account.store, account.hash, account.last4,
    issued_cents - redeemed_cents + given_back_cents AS worth_cents,
    held_cents, coalesce(granted.cents, 0) AS granted_cents, coalesce(lanes.cents, 0) AS lanes_cents
  FROM voucher_account AS account
  LEFT JOIN LATERAL (SELECT sum(amount_cents) AS cents FROM voucher_ledger AS ledger
    WHERE ledger.store = account.store AND ledger.hash = account.hash AND state IN ('granted', 'stranded'))
    AS granted ON true
  LEFT JOIN LATERAL (SELECT sum(at_lane.cents) AS cents, min(at_lane.cents) AS least FROM voucher_at_lane AS at_lane
    WHERE at_lane.store = account.store AND at_lane.hash = account.hash) AS lanes ON true
  WHERE issued_cents - redeemed_cents + given_back_cents
      <> held_cents + coalesce(granted.cents, 0) + coalesce(lanes.cents, 0)
    OR lanes.least < 0
    OR (held_cents < 0 AND NOT EXISTS (SELECT 1 FROM stream_awaited AS awaited
      WHERE awaited.store = account.store AND ended_at IS NULL));

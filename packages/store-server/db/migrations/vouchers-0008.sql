-- A stream that is awaited only because of a lane's claim is no longer awaited once that lane is revoked
-- (lanes/awaited.ts).
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
      WHERE awaited.store = account.store AND awaited.ended_at IS NULL
        AND (awaited.put_back OR awaited.claimed_by IS NULL OR NOT EXISTS (SELECT 1 FROM device
          WHERE device.store = awaited.store AND device.lane = awaited.claimed_by
            AND device.revoked_at >= extract(epoch FROM awaited.claimed_at) * 1000))));

-- A lane spends value only under a lease (docs/decisions/0029-stored-value-moves-and-is-leased.md). Each enrolment of a
-- lane has one lease, which each confirmed heartbeat renews.
CREATE TABLE lane_lease (
  store    text NOT NULL,
  lane     text NOT NULL,
  code_id  text NOT NULL,
  -- Number of the lane's newest session: a late call of an earlier session has a lower one.
  session  integer NOT NULL DEFAULT 0,
  -- Duration of the newest lease, and the time at which it has certainly expired. NULL: the lane reports no duration,
  -- and its lease has no end.
  lease_ms bigint,
  until    timestamptz,
  -- The lane shut down properly and has sent all facts. NULL: the lane may pay.
  ended_at timestamptz,
  -- Another machine replaced the lane, and the value at the lane was moved.
  settled_at timestamptz,
  PRIMARY KEY (store, lane, code_id)
);
-- Lanes that were replaced before this migration: their successors have received the value.
INSERT INTO lane_lease (store, lane, code_id, settled_at)
  SELECT store, lane, code_id, now() FROM device WHERE revoked_at IS NOT NULL ON CONFLICT DO NOTHING;

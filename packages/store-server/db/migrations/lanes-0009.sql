-- Value at a lane is a lease (decision 0117): each enrolment of a lane has one, which each confirmed heartbeat renews.
CREATE TABLE lane_lease (
  store    text NOT NULL,
  lane     text NOT NULL,
  code_id  text NOT NULL,
  -- greetings of this lane, numbered: a late call of an earlier one is recognized
  session  integer NOT NULL DEFAULT 0,
  -- how long the lane was last given, and when that has certainly ended; null: the lane does not say, and it has no end
  lease_ms bigint,
  until    timestamptz,
  -- the lane stopped in good order, with everything told; null while it may pay
  ended_at timestamptz,
  -- another machine has taken its place, and what lay at it was moved away
  settled_at timestamptz,
  PRIMARY KEY (store, lane, code_id)
);
-- Lanes that were replaced before: their successors have received what lay there.
INSERT INTO lane_lease (store, lane, code_id, settled_at)
  SELECT store, lane, code_id, now() FROM device WHERE revoked_at IS NOT NULL ON CONFLICT DO NOTHING;

-- What each lane last said of its own metrics, for whoever scrapes the store. Not in the log of the database, and empty
-- after a crash: the lane says it again within seconds.
CREATE UNLOGGED TABLE lane_metrics (
  store   text NOT NULL,
  lane    text NOT NULL,
  samples jsonb NOT NULL,
  at      timestamptz NOT NULL,
  PRIMARY KEY (store, lane)
);

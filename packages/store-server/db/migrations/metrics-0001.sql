-- Newest metrics of each lane, for scrapes of the store's metrics. Unlogged, so empty after a crash: lanes send their
-- metrics again within seconds.
CREATE UNLOGGED TABLE lane_metrics (
  store   text NOT NULL,
  lane    text NOT NULL,
  samples jsonb NOT NULL,
  at      timestamptz NOT NULL,
  PRIMARY KEY (store, lane)
);

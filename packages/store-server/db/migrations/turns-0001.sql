-- Locks on collectors: one call for each collector at a time, over all lanes, with an expiry time. Collectors are
-- identified by a hash; this database has no key for it. A row exists during a call; that of an expired lock stays
-- until the collector's next lock.
CREATE SEQUENCE collector_fence;
CREATE TABLE collector_turn (
  store     text NOT NULL,
  collector text NOT NULL,
  id        uuid NOT NULL,
  lane      text NOT NULL,
  purpose   text NOT NULL CHECK (purpose IN ('now', 'queued')),
  -- Increases with each granted lock.
  fence     bigint NOT NULL,
  until     timestamptz NOT NULL,
  PRIMARY KEY (store, collector)
);
-- Calls that a cashier waits for: queued calls get no lock in the meantime.
CREATE TABLE collector_wait (
  store     text NOT NULL,
  collector text NOT NULL,
  id        uuid NOT NULL,
  until     timestamptz NOT NULL,
  PRIMARY KEY (store, collector, id)
);

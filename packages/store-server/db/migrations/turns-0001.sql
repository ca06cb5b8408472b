-- Whose call of a collector is in flight, over all lanes: a lease. Collectors are known by a hash to which this
-- database has no key. Rows live for as long as a call does.
CREATE SEQUENCE collector_fence;
CREATE TABLE collector_turn (
  store     text NOT NULL,
  collector text NOT NULL,
  id        uuid NOT NULL,
  lane      text NOT NULL,
  purpose   text NOT NULL CHECK (purpose IN ('now', 'queued')),
  -- grows with every turn that is given
  fence     bigint NOT NULL,
  until     timestamptz NOT NULL,
  PRIMARY KEY (store, collector)
);
-- Who stands at a till and waits: the turn goes to nobody's queue meanwhile.
CREATE TABLE collector_wait (
  store     text NOT NULL,
  collector text NOT NULL,
  id        uuid NOT NULL,
  until     timestamptz NOT NULL,
  PRIMARY KEY (store, collector, id)
);

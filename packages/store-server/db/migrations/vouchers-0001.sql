-- Gift cards and store credit of a store. Each cent of a voucher is in one place: held here, granted to a lane that has
-- not told of it yet, or at a lane as its facts say. Money is cents; codes are hashes under a key that is not here.
CREATE TABLE voucher_account (
  store            text NOT NULL,
  hash             text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  kind             text NOT NULL,
  last4            text NOT NULL,
  -- lane and its clock (epoch ms); both are of the first that told of it
  issued_by        text NOT NULL,
  issued_at        bigint NOT NULL,
  -- its code for the lanes, and what it was sealed about
  sealed           text NOT NULL,
  about            text NOT NULL,
  held_cents       integer NOT NULL DEFAULT 0 CHECK (held_cents >= 0),
  -- what the lanes have told of it, for who compares
  issued_cents     integer NOT NULL DEFAULT 0,
  redeemed_cents   integer NOT NULL DEFAULT 0,
  given_back_cents integer NOT NULL DEFAULT 0,
  PRIMARY KEY (store, hash)
);

CREATE TABLE voucher_at_lane (
  store text NOT NULL,
  hash  text NOT NULL,
  lane  text NOT NULL,
  cents integer NOT NULL,
  PRIMARY KEY (store, hash, lane),
  FOREIGN KEY (store, hash) REFERENCES voucher_account (store, hash)
);
CREATE INDEX voucher_of_lane ON voucher_at_lane (store, lane) WHERE cents <> 0;

-- Each transfer once, whatever became of it. in: handed over by a lane. out: granted until the lane has told that it
-- took it (taken); refused and cancelled for good, also for a request that comes later.
CREATE TABLE voucher_ledger (
  store        text NOT NULL,
  id           uuid NOT NULL,
  hash         text NOT NULL,
  lane         text NOT NULL,
  direction    text NOT NULL CHECK (direction IN ('in', 'out')),
  state        text NOT NULL CHECK (state IN ('handed-over', 'granted', 'taken', 'refused', 'cancelled')),
  amount_cents integer NOT NULL CHECK (amount_cents > 0),
  at           timestamptz NOT NULL DEFAULT now(),
  CHECK ((direction = 'in') = (state = 'handed-over')),
  PRIMARY KEY (store, id)
);
CREATE INDEX voucher_granted ON voucher_ledger (store, hash) WHERE state = 'granted';

-- Which rows of which lane were counted: a lane whose database went far back tells some of them in another stream too.
CREATE TABLE voucher_counted (
  store   text NOT NULL,
  lane    text NOT NULL,
  kind    text NOT NULL,
  subject text NOT NULL,
  at      bigint NOT NULL,
  PRIMARY KEY (store, lane, kind, subject, at)
);

-- Where the sum of the places is another than what was issued and not spent, or a lane has spent what it did not have:
-- of a store that keeps its books this is empty, at any moment.
CREATE VIEW voucher_wrong AS
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
    OR lanes.least < 0;

-- Gift cards and store credit of a store. Each cent of a voucher is in one place: held here, granted to a lane that has
-- not confirmed the grant, or at a lane according to its facts. Money is in cents; codes are hashed with a key outside
-- this database.
CREATE TABLE voucher_account (
  store            text NOT NULL,
  hash             text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  kind             text NOT NULL,
  last4            text NOT NULL,
  -- Lane of the first fact about the voucher, and the time on that lane's clock (epoch ms).
  issued_by        text NOT NULL,
  issued_at        bigint NOT NULL,
  -- Code of the voucher, sealed for the lanes, and the context of the seal.
  sealed           text NOT NULL,
  about            text NOT NULL,
  held_cents       integer NOT NULL DEFAULT 0 CHECK (held_cents >= 0),
  -- Sums over the facts of the lanes, for comparison.
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

-- Each transfer once. direction in: received from a lane. direction out: granted until the lane confirms it (taken);
-- refused and cancelled are final, also for a later request with the same id.
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

-- Rows of each lane that were counted: a lane restored from an old backup sends some of them again in another stream.
CREATE TABLE voucher_counted (
  store   text NOT NULL,
  lane    text NOT NULL,
  kind    text NOT NULL,
  subject text NOT NULL,
  at      bigint NOT NULL,
  PRIMARY KEY (store, lane, kind, subject, at)
);

-- Vouchers whose places do not sum to the value that was issued and not spent, or of which a lane spent more than it
-- had. Empty at all times in a store without errors.
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

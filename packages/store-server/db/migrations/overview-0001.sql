-- What a manager looks through of all lanes, made of their facts. Times are epoch milliseconds by the clock of the
-- lane; money in cents, miles whole. A fact that is told again writes the same row again.

-- Sales that were closed, and returns.
CREATE TABLE overview_sale (
  store          text NOT NULL,
  id             text NOT NULL,
  lane           text NOT NULL,
  kind           text NOT NULL CHECK (kind IN ('sale', 'cancelled', 'return')),
  at             bigint NOT NULL,
  gross_cents    bigint NOT NULL,
  discount_cents bigint NOT NULL,
  net_cents      bigint NOT NULL,
  total_cents    bigint NOT NULL,
  PRIMARY KEY (store, id)
);
CREATE INDEX overview_sale_by_time ON overview_sale (store, at);

-- What they were paid and taxed by. `miles`: a payment that stands, by the id of its redemption.
CREATE TABLE overview_amount (
  store   text NOT NULL,
  sale_id text NOT NULL,
  part    text NOT NULL CHECK (part IN ('tender', 'tax', 'miles')),
  code    text NOT NULL,
  lane    text NOT NULL,
  at      bigint NOT NULL,
  count   integer NOT NULL,
  cents   bigint NOT NULL,
  PRIMARY KEY (store, sale_id, part, code)
);
CREATE INDEX overview_amount_by_time ON overview_amount (store, at);

-- Calls that move miles, as they came to rest. Attention: as the lane's own list has it, until somebody has found out.
CREATE TABLE overview_call (
  store         text NOT NULL,
  id            text NOT NULL,
  lane          text NOT NULL,
  sale_id       text NOT NULL,
  kind          text NOT NULL,
  type          text NOT NULL,
  state         text NOT NULL,
  outcome       text,
  created_at    bigint NOT NULL,
  changed_at    bigint NOT NULL,
  amount_cents  bigint,
  miles         bigint,
  response_code text,
  found         text,
  attention     boolean NOT NULL GENERATED ALWAYS AS (
    state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated')
    AND found IS NULL AND outcome IS DISTINCT FROM 'expected-refusal') STORED,
  PRIMARY KEY (store, id)
);
CREATE INDEX overview_call_of_sale ON overview_call (store, sale_id);
CREATE INDEX overview_call_attention ON overview_call (store, changed_at DESC, id) WHERE attention;

-- Shifts that were closed, and Z reports. A lane that goes back to a backup counts its shifts anew: by its history.
CREATE TABLE overview_shift (
  stream           text NOT NULL,
  id               integer NOT NULL,
  store            text NOT NULL,
  lane             text NOT NULL,
  drawer_of        text,
  opened_at        bigint NOT NULL,
  closed_at        bigint NOT NULL,
  closed_by        text NOT NULL,
  difference_cents bigint,
  PRIMARY KEY (stream, id)
);
CREATE INDEX overview_shift_by_time ON overview_shift (store, opened_at);
CREATE TABLE overview_z (
  stream           text NOT NULL,
  number           integer NOT NULL,
  store            text NOT NULL,
  lane             text NOT NULL,
  at               bigint NOT NULL,
  -- when its first drawer was opened: that day it is of
  opened_at        bigint NOT NULL,
  closed_by        text NOT NULL,
  sales            integer NOT NULL,
  total_cents      bigint NOT NULL,
  difference_cents bigint NOT NULL,
  report           jsonb NOT NULL,
  PRIMARY KEY (stream, number)
);
CREATE INDEX overview_z_by_time ON overview_z (store, opened_at);

-- The store's report of approvals that came on a retry: a day has one original, and an approval stands in one.
CREATE TABLE overview_original (
  store        text NOT NULL,
  day          text NOT NULL CHECK (day ~ '^\d{4}-\d\d-\d\d$'),
  made_at      timestamptz NOT NULL DEFAULT now(),
  made_by      text NOT NULL,
  lane         text NOT NULL,
  -- lanes that had not told everything of the day by then
  missing      text[] NOT NULL,
  rows         jsonb NOT NULL,
  copies       integer NOT NULL DEFAULT 0 CHECK (copies >= 0),
  PRIMARY KEY (store, day)
);
CREATE TABLE overview_approval (
  store        text NOT NULL,
  operation_id text NOT NULL,
  lane         text NOT NULL,
  -- the store's day on which the lane recorded it
  day          text NOT NULL,
  approved_at  bigint NOT NULL,
  row          jsonb NOT NULL,
  -- the day whose original it stands in; written once
  original     text,
  PRIMARY KEY (store, operation_id),
  FOREIGN KEY (store, original) REFERENCES overview_original (store, day)
);
CREATE INDEX overview_approval_waiting ON overview_approval (store, day) WHERE original IS NULL;
CREATE INDEX overview_approval_of_original ON overview_approval (store, original) WHERE original IS NOT NULL;

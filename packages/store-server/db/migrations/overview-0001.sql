-- Manager's overview of all lanes, computed from their facts. Times are epoch milliseconds on the lane's clock; money
-- is in cents, miles are whole numbers. A repeated fact writes the same row again.

-- Closed sales, and returns.
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

-- Payments and taxes of the sales and returns. miles: a payment that was not given back; `code` is the id of its
-- redemption.
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

-- Calls that move miles, in the state that the lane sent last. attention: in the lane's exceptions queue, until a
-- person records a result.
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

-- Closed shifts, and Z reports. A lane that was restored from a backup uses shift numbers again: the key contains the
-- stream.
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
  -- Time at which the first drawer was opened; determines the day of the report.
  opened_at        bigint NOT NULL,
  closed_by        text NOT NULL,
  sales            integer NOT NULL,
  total_cents      bigint NOT NULL,
  difference_cents bigint NOT NULL,
  report           jsonb NOT NULL,
  PRIMARY KEY (stream, number)
);
CREATE INDEX overview_z_by_time ON overview_z (store, opened_at);

-- The store's reconciliation report of approvals that came on a retry. Each day has one original, and each approval is
-- in one original.
CREATE TABLE overview_original (
  store        text NOT NULL,
  day          text NOT NULL CHECK (day ~ '^\d{4}-\d\d-\d\d$'),
  made_at      timestamptz NOT NULL DEFAULT now(),
  made_by      text NOT NULL,
  lane         text NOT NULL,
  -- Lanes that had not sent all facts of the day when the original was made.
  missing      text[] NOT NULL,
  rows         jsonb NOT NULL,
  copies       integer NOT NULL DEFAULT 0 CHECK (copies >= 0),
  PRIMARY KEY (store, day)
);
CREATE TABLE overview_approval (
  store        text NOT NULL,
  operation_id text NOT NULL,
  lane         text NOT NULL,
  -- Business day on which the lane recorded the approval.
  day          text NOT NULL,
  approved_at  bigint NOT NULL,
  row          jsonb NOT NULL,
  -- Day of the original that contains the approval; written once.
  original     text,
  PRIMARY KEY (store, operation_id),
  FOREIGN KEY (store, original) REFERENCES overview_original (store, day)
);
CREATE INDEX overview_approval_waiting ON overview_approval (store, day) WHERE original IS NULL;
CREATE INDEX overview_approval_of_original ON overview_approval (store, original) WHERE original IS NOT NULL;

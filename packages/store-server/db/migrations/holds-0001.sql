-- Sales on hold of the lanes of a store. offered: its lane still has the right to resume. waiting: the store has the
-- right. claimed: a lane is resuming the sale and has not reported the outcome. resumed, withdrawn: final. Collector
-- numbers are sealed; this database has no key for them. Columns of type bigint are epoch milliseconds on a lane's
-- clock.
CREATE TABLE held_sale (
  id           uuid PRIMARY KEY,
  store        text NOT NULL,
  lane         text NOT NULL,
  sale         text NOT NULL,
  state        text NOT NULL CHECK (state IN ('offered', 'waiting', 'claimed', 'resumed', 'withdrawn')),
  held_at      bigint,
  name         text,
  cashier      text,
  item_count   integer,
  total_cents  integer,
  member_last4 text,
  content      jsonb,
  sealed       text,
  claim        uuid,
  claimed_by   text,
  resumed_as   text,
  copied_at    text,
  changed_at   timestamptz NOT NULL DEFAULT now(),
  CHECK ((state IN ('claimed', 'resumed')) = (claim IS NOT NULL)),
  CHECK ((claim IS NULL) = (claimed_by IS NULL)),
  CHECK ((state IN ('offered', 'waiting', 'claimed')) = (content IS NOT NULL))
);
-- A sale is on hold at most once at a time.
CREATE UNIQUE INDEX held_sale_once ON held_sale (store, sale) WHERE state IN ('offered', 'waiting', 'claimed');
CREATE INDEX held_sale_of_store ON held_sale (store, held_at) WHERE state IN ('waiting', 'claimed');
CREATE UNIQUE INDEX held_sale_claim ON held_sale (claim) WHERE claim IS NOT NULL;
CREATE INDEX held_sale_ended ON held_sale (store, sale, changed_at);

-- Reservations that were requested or released. is_back: released, and never granted later.
CREATE TABLE hold_claim (
  id    uuid PRIMARY KEY,
  store text NOT NULL,
  lane  text NOT NULL,
  is_back boolean NOT NULL DEFAULT false,
  at    timestamptz NOT NULL DEFAULT now()
);

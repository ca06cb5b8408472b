-- Receipts of every lane, and what came back of them. Money in cents, times epoch milliseconds by the lane's clock.
CREATE TABLE receipt (
  store       text NOT NULL,
  id          text NOT NULL,
  lane        text NOT NULL,
  stream      text NOT NULL,
  seq         integer NOT NULL,
  at          bigint NOT NULL,
  total_cents integer NOT NULL,
  last4       text,
  cashier     text NOT NULL,
  tenders     jsonb NOT NULL,
  PRIMARY KEY (store, id),
  FOREIGN KEY (stream, seq) REFERENCES fact (stream, seq)
);
-- People type the last characters of the number under a receipt's barcode.
CREATE INDEX receipt_by_end ON receipt (store, right(id, 4), at);

CREATE TABLE receipt_line (
  store   text NOT NULL,
  sale_id text NOT NULL,
  number  integer NOT NULL,
  sold    integer NOT NULL CHECK (sold > 0),
  PRIMARY KEY (store, sale_id, number),
  FOREIGN KEY (store, sale_id) REFERENCES receipt (store, id)
);
-- By what a refund stands for: a kind of payment, or all vouchers. Of cash also the coins that came in.
CREATE TABLE receipt_payment (
  store      text NOT NULL,
  sale_id    text NOT NULL,
  paid_by    text NOT NULL,
  paid_cents integer NOT NULL,
  coin_cents integer NOT NULL,
  PRIMARY KEY (store, sale_id, paid_by),
  FOREIGN KEY (store, sale_id) REFERENCES receipt (store, id)
);

-- What came back of a sale, or of none that is known. A claim becomes a return when the lane tells of that, or is
-- released; a released one stays, so that it is refused when it comes late.
CREATE TABLE receipt_return (
  store       text NOT NULL,
  id          text NOT NULL,
  sale_id     text,
  lane        text NOT NULL,
  state       text NOT NULL CHECK (state IN ('claimed', 'returned', 'released')),
  return_id   text,
  cashier_id  text,
  at          bigint NOT NULL,
  lines       jsonb NOT NULL,
  refunds     jsonb NOT NULL,
  total_cents integer NOT NULL,
  PRIMARY KEY (store, id),
  CHECK ((state = 'returned') = (return_id IS NOT NULL))
);
CREATE INDEX receipt_return_of_sale ON receipt_return (store, sale_id) WHERE state <> 'released';
CREATE INDEX receipt_return_unrecorded ON receipt_return (store, cashier_id, at) WHERE sale_id IS NULL;

-- The newest that a lane told of each call that moves miles.
CREATE TABLE receipt_operation (
  store   text NOT NULL,
  id      text NOT NULL,
  lane    text NOT NULL,
  sale_id text NOT NULL,
  body    jsonb NOT NULL,
  PRIMARY KEY (store, id)
);
CREATE INDEX receipt_operation_of_sale ON receipt_operation (store, sale_id);

-- Up to which number of a stream its lane returns nothing without asking.
CREATE TABLE receipt_settled (
  stream text PRIMARY KEY REFERENCES stream (name),
  seq    integer NOT NULL CHECK (seq >= 0)
);

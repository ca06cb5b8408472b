-- Receipts of all lanes, and returns of their goods. Money is in cents; times are epoch milliseconds on the lane's
-- clock.
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
-- For searches by the last characters of the number under the receipt's barcode.
CREATE INDEX receipt_by_end ON receipt (store, right(id, 4), at);

CREATE TABLE receipt_line (
  store   text NOT NULL,
  sale_id text NOT NULL,
  number  integer NOT NULL,
  sold    integer NOT NULL CHECK (sold > 0),
  PRIMARY KEY (store, sale_id, number),
  FOREIGN KEY (store, sale_id) REFERENCES receipt (store, id)
);
-- Payments in the groups that a refund uses: one kind of payment, or all vouchers. coin_cents: cash taken.
CREATE TABLE receipt_payment (
  store      text NOT NULL,
  sale_id    text NOT NULL,
  paid_by    text NOT NULL,
  paid_cents integer NOT NULL,
  coin_cents integer NOT NULL,
  PRIMARY KEY (store, sale_id, paid_by),
  FOREIGN KEY (store, sale_id) REFERENCES receipt (store, id)
);

-- Returns with or without a known sale. A claim becomes a return when the lane sends the return, or is released. A
-- released claim is kept, so that a late request for it is rejected.
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

-- Newest state that a lane sent of each call that moves miles.
CREATE TABLE receipt_operation (
  store   text NOT NULL,
  id      text NOT NULL,
  lane    text NOT NULL,
  sale_id text NOT NULL,
  body    jsonb NOT NULL,
  PRIMARY KEY (store, id)
);
CREATE INDEX receipt_operation_of_sale ON receipt_operation (store, sale_id);

-- Number of a stream up to which its lane returns no goods without a reservation.
CREATE TABLE receipt_settled (
  stream text PRIMARY KEY REFERENCES stream (name),
  seq    integer NOT NULL CHECK (seq >= 0)
);

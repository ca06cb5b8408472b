-- Which lane is selling a card that has a number of its own: nobody else sells it meanwhile. It ends with the sale, or
-- by itself where the lane does not say so.
CREATE TABLE voucher_activation (
  store text NOT NULL,
  hash  text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  lane  text NOT NULL,
  at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (store, hash)
);

-- Each time that a voucher was issued: one that was sold at two lanes which were cut off from each other has two.
CREATE TABLE voucher_issue (
  store        text NOT NULL,
  hash         text NOT NULL,
  lane         text NOT NULL,
  amount_cents integer NOT NULL,
  -- by the lane's clock, epoch milliseconds
  at           bigint NOT NULL,
  subject      text NOT NULL,
  PRIMARY KEY (store, hash, lane, subject, at)
);
ALTER TABLE voucher_account ADD COLUMN issues integer NOT NULL DEFAULT 0;
INSERT INTO voucher_issue (store, hash, lane, amount_cents, at, subject)
  SELECT store, body ->> 'codeHash', lane, (body ->> 'amountCents')::integer, at, subject
  FROM fact JOIN stream ON stream.name = fact.stream
  WHERE kind = 'voucher-entry' AND body ->> 'kind' = 'issued' AND body ->> 'codeHash' IS NOT NULL
  ON CONFLICT DO NOTHING;
UPDATE voucher_account AS account SET issues = (SELECT count(*) FROM voucher_issue AS issue
  WHERE issue.store = account.store AND issue.hash = account.hash);
CREATE INDEX voucher_issued_twice ON voucher_account (store) WHERE issues > 1;

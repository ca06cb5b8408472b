-- Lane that is selling a card with its own number: no other lane can sell the card in the meantime. Ends with the sale,
-- or expires if the lane does not report its end.
CREATE TABLE voucher_activation (
  store text NOT NULL,
  hash  text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  lane  text NOT NULL,
  at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (store, hash)
);

-- Each issue of a voucher. A card that two disconnected lanes sold has two issues.
CREATE TABLE voucher_issue (
  store        text NOT NULL,
  hash         text NOT NULL,
  lane         text NOT NULL,
  amount_cents integer NOT NULL,
  -- Epoch milliseconds on the lane's clock.
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

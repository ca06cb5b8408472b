-- Sale, return or operation of the lane that issued the voucher; each issues what it sold or credited, once.
ALTER TABLE voucher_issue ADD COLUMN source text;
UPDATE voucher_issue AS issue SET source = CASE
    WHEN body ->> 'operationId' IS NOT NULL THEN 'operation ' || (body ->> 'operationId')
    WHEN body ->> 'returnId' IS NOT NULL THEN 'return ' || (body ->> 'returnId')
    ELSE 'sale ' || (body ->> 'saleId') END
  FROM fact JOIN stream ON stream.name = fact.stream
  WHERE kind = 'voucher-entry' AND body ->> 'kind' = 'issued' AND stream.store = issue.store
    AND stream.lane = issue.lane AND fact.subject = issue.subject AND fact.at = issue.at
    AND body ->> 'codeHash' = issue.hash;
CREATE INDEX voucher_issue_of_source ON voucher_issue (store, lane, source);

-- Amount that the lane has paid with the voucher and not given back: the lane cannot give back more.
ALTER TABLE voucher_at_lane ADD COLUMN paid_cents integer NOT NULL DEFAULT 0;
UPDATE voucher_at_lane AS at_lane SET paid_cents = used.cents
  FROM (SELECT store, lane, hash, sum(CASE moved WHEN 'redeemed' THEN cents ELSE -cents END) AS cents
    FROM (SELECT DISTINCT store, lane, kind, subject, at, body ->> 'codeHash' AS hash, body ->> 'kind' AS moved,
        (body ->> 'amountCents')::integer AS cents
      FROM fact JOIN stream ON stream.name = fact.stream
      WHERE kind IN ('voucher-entry', 'voucher-use') AND body ->> 'kind' IN ('redeemed', 'given-back')
        AND NOT EXISTS (SELECT 1 FROM fact_aside AS aside WHERE aside.stream = fact.stream AND aside.seq = fact.seq)
    ) AS once GROUP BY store, lane, hash) AS used
  WHERE at_lane.store = used.store AND at_lane.lane = used.lane AND at_lane.hash = used.hash;

-- The server looks up what a lane may issue by the id of its sale, return or operation, and waiting facts by their
-- voucher.
CREATE INDEX fact_of_source ON fact (subject) WHERE kind IN ('sale', 'return', 'operation');
CREATE INDEX fact_of_voucher ON fact ((body ->> 'codeHash'))
  WHERE kind IN ('voucher-entry', 'voucher-use', 'voucher-transfer');

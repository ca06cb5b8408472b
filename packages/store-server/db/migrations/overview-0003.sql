-- For a sale or return that its lane sent more than once, overview-0002 used the last fact, even a quarantined or
-- cancelling one. Computes these amounts again from the fact that counts.
DELETE FROM overview_amount AS amount USING (
  SELECT store, lane, subject FROM fact_all AS fact JOIN stream ON stream.name = fact.stream
  WHERE kind IN ('sale', 'return') GROUP BY store, lane, kind, subject HAVING count(*) > 1
) AS repeated
WHERE amount.store = repeated.store AND amount.lane = repeated.lane AND amount.sale_id = repeated.subject
  AND (amount.part = 'gift-card' OR (amount.part = 'tender' AND amount.code = 'cash-rounding'));
INSERT INTO overview_amount (store, sale_id, part, code, lane, at, count, cents)
SELECT told.store, told.id, added.part, added.code, told.lane, told.at, added.count, added.cents
FROM (
  SELECT DISTINCT ON (sale.store, sale.id) sale.store, sale.id, sale.lane, sale.at, sale.kind, fact.body
  FROM (
    SELECT store, lane, kind, subject FROM fact_all AS fact JOIN stream ON stream.name = fact.stream
    WHERE kind IN ('sale', 'return') GROUP BY store, lane, kind, subject HAVING count(*) > 1
  ) AS repeated
    JOIN overview_sale AS sale ON sale.store = repeated.store AND sale.lane = repeated.lane
      AND sale.id = repeated.subject AND sale.kind = repeated.kind
    JOIN stream ON stream.store = sale.store AND stream.lane = sale.lane
    JOIN fact_all AS fact ON fact.stream = stream.name AND fact.kind = sale.kind AND fact.subject = sale.id
  WHERE fact.body ->> 'state' IS DISTINCT FROM 'cancelled'
    AND NOT EXISTS (SELECT 1 FROM fact_aside AS aside WHERE aside.stream = fact.stream AND aside.seq = fact.seq)
  ORDER BY sale.store, sale.id, fact.received_at
) AS told CROSS JOIN LATERAL (
  SELECT 'gift-card' AS part, '' AS code, count(*) AS count, sum((line ->> 'unitPriceCents')::bigint) AS cents
  FROM jsonb_array_elements(CASE WHEN told.kind = 'sale' AND jsonb_typeof(told.body -> 'lines') = 'array'
    THEN told.body -> 'lines' ELSE '[]' END) AS line
  WHERE line ->> 'sku' = 'milepost:gift-card' AND line ->> 'voided' = '0'
  UNION ALL
  SELECT 'tender', 'cash-rounding', 0,
    sum((payment ->> 'roundingCents')::bigint) * CASE told.kind WHEN 'return' THEN -1 ELSE 1 END
  FROM jsonb_array_elements(CASE
    WHEN told.kind = 'sale' AND jsonb_typeof(told.body -> 'tenders') = 'array' THEN told.body -> 'tenders'
    WHEN told.kind = 'return' AND jsonb_typeof(told.body -> 'refunds') = 'array' THEN told.body -> 'refunds'
    ELSE '[]' END) AS payment
) AS added
WHERE added.cents <> 0;

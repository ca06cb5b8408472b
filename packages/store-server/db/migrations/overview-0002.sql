-- Adds sold gift cards as a part of a sale: a liability and not revenue. Gives refunded taxes and cash rounding their
-- own codes, as in the report of a lane. Uses the facts of the sales that are in the overview.
ALTER TABLE overview_amount DROP CONSTRAINT overview_amount_part_check;
ALTER TABLE overview_amount ADD CHECK (part IN ('tender', 'tax', 'miles', 'gift-card'));
INSERT INTO overview_amount (store, sale_id, part, code, lane, at, count, cents)
SELECT told.store, told.id, 'gift-card', '', told.lane, told.at, count(*), sum((line ->> 'unitPriceCents')::bigint)
FROM (
  SELECT DISTINCT ON (sale.store, sale.id) sale.store, sale.id, sale.lane, sale.at, fact.body -> 'lines' AS lines
  FROM overview_sale AS sale
    JOIN stream ON stream.store = sale.store AND stream.lane = sale.lane
    JOIN fact ON fact.stream = stream.name AND fact.kind = 'sale' AND fact.subject = sale.id
  WHERE sale.kind = 'sale' AND jsonb_typeof(fact.body -> 'lines') = 'array'
  ORDER BY sale.store, sale.id, fact.seq DESC
) AS told CROSS JOIN jsonb_array_elements(told.lines) AS line
WHERE line ->> 'sku' = 'milepost:gift-card' AND line ->> 'voided' = '0'
GROUP BY told.store, told.id, told.lane, told.at
ON CONFLICT DO NOTHING;
UPDATE overview_amount AS amount SET code = amount.code || '-returned', count = 1
FROM overview_sale AS sale
WHERE sale.store = amount.store AND sale.id = amount.sale_id AND sale.kind = 'return' AND amount.part = 'tax';
UPDATE overview_amount AS amount SET count = 0
FROM overview_sale AS sale
WHERE sale.store = amount.store AND sale.id = amount.sale_id AND sale.kind = 'return' AND amount.part = 'tender';
INSERT INTO overview_amount (store, sale_id, part, code, lane, at, count, cents)
SELECT told.store, told.id, 'tender', 'cash-rounding', told.lane, told.at, 0,
  sum((payment ->> 'roundingCents')::bigint) * CASE told.kind WHEN 'return' THEN -1 ELSE 1 END
FROM (
  SELECT DISTINCT ON (sale.store, sale.id) sale.store, sale.id, sale.lane, sale.at, sale.kind,
    fact.body -> CASE sale.kind WHEN 'return' THEN 'refunds' ELSE 'tenders' END AS payments
  FROM overview_sale AS sale
    JOIN stream ON stream.store = sale.store AND stream.lane = sale.lane
    JOIN fact ON fact.stream = stream.name AND fact.kind = sale.kind AND fact.subject = sale.id
  WHERE sale.kind IN ('sale', 'return')
    AND jsonb_typeof(fact.body -> CASE sale.kind WHEN 'return' THEN 'refunds' ELSE 'tenders' END) = 'array'
  ORDER BY sale.store, sale.id, fact.seq DESC
) AS told CROSS JOIN jsonb_array_elements(told.payments) AS payment
GROUP BY told.store, told.id, told.kind, told.lane, told.at
HAVING sum((payment ->> 'roundingCents')::bigint) <> 0
ON CONFLICT DO NOTHING;

-- Latest change of each subject, by kind. The server compares this table with the registers of the lanes.
CREATE TABLE change_register (
  store   text NOT NULL,
  kind    text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  clock   bigint NOT NULL,
  lane    text COLLATE "C" NOT NULL,
  PRIMARY KEY (store, kind, subject)
);
INSERT INTO change_register (store, kind, subject, clock, lane)
SELECT DISTINCT ON (store, kind, body ->> 'subject') store, kind, body ->> 'subject', (body ->> 'clock')::bigint, lane
  FROM fact JOIN stream ON stream.name = fact.stream
  WHERE kind IN ('person', 'person-locale', 'person-pin', 'person-badge', 'setting', 'quick-keys', 'coupon',
      'catalog-item', 'planned-price', 'catalog-import')
    AND jsonb_typeof(body -> 'clock') = 'number' AND jsonb_typeof(body -> 'subject') = 'string'
    AND body ->> 'clock' ~ '^[0-9]{1,15}$'
    AND NOT EXISTS (SELECT 1 FROM fact_aside AS aside WHERE aside.stream = fact.stream AND aside.seq = fact.seq)
  ORDER BY store, kind, body ->> 'subject', (body ->> 'clock')::bigint DESC, lane COLLATE "C" DESC;

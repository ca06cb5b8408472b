-- Sales that another lane resumed: they are never on hold again under this id.
CREATE TABLE held_sale_gone (
  store      text NOT NULL,
  sale       text NOT NULL,
  lane       text NOT NULL,
  resumed_as text NOT NULL,
  PRIMARY KEY (store, sale)
);
INSERT INTO held_sale_gone (store, sale, lane, resumed_as)
  SELECT store, sale, claimed_by, resumed_as FROM held_sale
  WHERE state = 'resumed' AND resumed_as IS NOT NULL AND resumed_as <> sale
  ON CONFLICT (store, sale) DO NOTHING;

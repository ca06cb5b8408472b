-- Play money and real money do not mix: the first lane of a store that says its mode decides for all of them.
CREATE TABLE store_mode (
  store text PRIMARY KEY,
  mode  text NOT NULL CHECK (mode IN ('production', 'training')),
  lane  text NOT NULL,
  since timestamptz NOT NULL DEFAULT now()
);
-- A store in which both have told is a real one.
INSERT INTO store_mode (store, mode, lane)
  SELECT DISTINCT ON (store) store, health ->> 'mode', lane FROM lane
  WHERE health ->> 'mode' IN ('production', 'training') ORDER BY store, health ->> 'mode', lane;

-- Why its last greeting was refused, as it was told.
ALTER TABLE lane ADD COLUMN refused text;

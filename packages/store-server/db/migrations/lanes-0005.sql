-- Training and production do not mix: the first lane of a store that reports its mode sets the mode of all lanes.
CREATE TABLE store_mode (
  store text PRIMARY KEY,
  mode  text NOT NULL CHECK (mode IN ('production', 'training')),
  lane  text NOT NULL,
  since timestamptz NOT NULL DEFAULT now()
);
-- A store whose lanes reported both modes is a production store.
INSERT INTO store_mode (store, mode, lane)
  SELECT DISTINCT ON (store) store, health ->> 'mode', lane FROM lane
  WHERE health ->> 'mode' IN ('production', 'training') ORDER BY store, health ->> 'mode', lane;

-- Reason why the server refused the lane's last hello, as sent to the lane.
ALTER TABLE lane ADD COLUMN refused text;

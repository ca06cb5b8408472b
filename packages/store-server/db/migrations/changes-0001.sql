-- Changes that the owner confirmed: they take effect at every lane without a manager's confirmation there.
CREATE TABLE change_confirmed (
  stream       text NOT NULL,
  seq          integer NOT NULL,
  confirmed_by text NOT NULL CHECK (confirmed_by <> ''),
  why          text NOT NULL CHECK (why <> ''),
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, seq)
);

-- What the lanes of a store have told, each stream without a gap and each fact once. Times that a lane says are epoch
-- milliseconds of its clock; the server's own are timestamptz.
CREATE TABLE lane (
  store   text NOT NULL,
  lane    text NOT NULL,
  version text,
  -- what it said of itself last, and when
  health  jsonb,
  seen_at timestamptz,
  PRIMARY KEY (store, lane)
);

CREATE TABLE stream (
  name       text PRIMARY KEY CHECK (name ~ '^[0-9a-f]{32}$'),
  store      text NOT NULL,
  lane       text NOT NULL,
  epoch      integer NOT NULL CHECK (epoch > 0),
  -- the last number that is applied
  applied    integer NOT NULL DEFAULT 0 CHECK (applied >= 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (store, lane) REFERENCES lane (store, lane)
);
CREATE INDEX stream_of_store ON stream (store, lane, epoch);

CREATE TABLE fact (
  stream      text NOT NULL REFERENCES stream (name),
  seq         integer NOT NULL CHECK (seq > 0),
  kind        text NOT NULL,
  subject     text NOT NULL,
  at          bigint NOT NULL,
  body        jsonb NOT NULL,
  -- for the other lanes: this database has no key to it
  sealed      text,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, seq)
);
CREATE INDEX fact_of_kind ON fact (stream, kind, seq);

-- Facts that no part of this program could read: kept as they came, told to the manager, read again by a later program.
CREATE TABLE fact_aside (
  stream text NOT NULL,
  seq    integer NOT NULL,
  reason text NOT NULL,
  at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, seq),
  FOREIGN KEY (stream, seq) REFERENCES fact (stream, seq)
);

-- Which key seals what the lanes show one another: its fingerprint, never the key.
CREATE TABLE seal_key (
  id          integer PRIMARY KEY CHECK (id = 1),
  fingerprint text NOT NULL
);

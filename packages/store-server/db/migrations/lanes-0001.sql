-- Facts of the lanes of a store: each stream without a gap, each fact once. Columns of type bigint are epoch
-- milliseconds on a lane's clock; columns of type timestamptz use the server's clock.
CREATE TABLE lane (
  store   text NOT NULL,
  lane    text NOT NULL,
  version text,
  -- Health that the lane last reported, and the time of the report.
  health  jsonb,
  seen_at timestamptz,
  PRIMARY KEY (store, lane)
);

CREATE TABLE stream (
  name       text PRIMARY KEY CHECK (name ~ '^[0-9a-f]{32}$'),
  store      text NOT NULL,
  lane       text NOT NULL,
  epoch      integer NOT NULL CHECK (epoch > 0),
  -- Number of the newest applied fact.
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
  -- Data for other lanes; this database has no key for it.
  sealed      text,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, seq)
);
CREATE INDEX fact_of_kind ON fact (stream, kind, seq);

-- Facts that the server could not process: stored as received, shown to the manager, processed again by a later
-- version.
CREATE TABLE fact_aside (
  stream text NOT NULL,
  seq    integer NOT NULL,
  reason text NOT NULL,
  at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, seq),
  FOREIGN KEY (stream, seq) REFERENCES fact (stream, seq)
);

-- Fingerprint of the key that seals data between lanes, never the key itself.
CREATE TABLE seal_key (
  id          integer PRIMARY KEY CHECK (id = 1),
  fingerprint text NOT NULL
);

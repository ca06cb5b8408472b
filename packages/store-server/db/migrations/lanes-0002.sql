-- Data that is missing in a database restored from a backup, until the lanes have sent it again. A restored database
-- has another identity: another cluster, another OID in its cluster, or another timeline of the cluster's log.
CREATE VIEW database_here AS
  SELECT system_identifier::text || '/' || pg_database.oid || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    AS identity
  FROM pg_control_system(), pg_database WHERE datname = current_database();
CREATE TABLE database_identity (
  id       integer PRIMARY KEY CHECK (id = 1),
  identity text NOT NULL,
  since    timestamptz NOT NULL DEFAULT now()
);
INSERT INTO database_identity (id, identity) SELECT 1, identity FROM database_here;

-- Streams of which facts may be missing. No other lane may take what their lanes took from the store in the lost
-- period. A stream that only other lanes know began in the lost period.
CREATE TABLE stream_awaited (
  store       text NOT NULL,
  stream      text NOT NULL,
  since       timestamptz NOT NULL DEFAULT now(),
  -- The lane has sent all facts, or the owner continues without them.
  ended_at    timestamptz,
  given_up_by text,
  why         text,
  PRIMARY KEY (store, stream)
);
CREATE INDEX stream_awaited_open ON stream_awaited (store) WHERE ended_at IS NULL;

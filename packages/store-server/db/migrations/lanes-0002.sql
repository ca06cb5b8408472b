-- What is missing in a database that was put back from a backup, until the lanes have told it again. Such a database is
-- another one: it has another number in its cluster, or its cluster goes on along another line of its log.
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

-- Streams of which something may be missing: what their lanes took of the store in the lost hours nobody else may take
-- again. A stream that only the other lanes know of yet began in the lost hours.
CREATE TABLE stream_awaited (
  store       text NOT NULL,
  stream      text NOT NULL,
  since       timestamptz NOT NULL DEFAULT now(),
  -- its lane has told all that it ever closed, or the owner goes on without it
  ended_at    timestamptz,
  given_up_by text,
  why         text,
  PRIMARY KEY (store, stream)
);
CREATE INDEX stream_awaited_open ON stream_awaited (store) WHERE ended_at IS NULL;

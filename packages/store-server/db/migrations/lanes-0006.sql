-- pg_restore --clean into the same database creates the tables again, with other OIDs.
CREATE OR REPLACE VIEW database_here AS
  SELECT system_identifier::text || '/' || pg_database.oid || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '/' || 'database_identity'::regclass::oid AS identity
  FROM pg_control_system(), pg_database WHERE datname = current_database();
-- A database that was restored and not checked since keeps its different identity.
UPDATE database_identity AS known SET identity = here.identity FROM database_here AS here
  WHERE starts_with(here.identity, known.identity || '/');

-- Once, as the superuser: psql postgres < store-server/db/roles.sql; then \password milepost_owner, and so on.
-- The owner changes tables, when a new version is set up. The server reads and writes rows, and nothing else; of tables
-- that only grow it may change no row (store-server/db/migrations, with the tables).
CREATE ROLE milepost_owner LOGIN;
CREATE ROLE milepost_server LOGIN;
CREATE DATABASE milepost OWNER milepost_owner;
REVOKE ALL ON DATABASE milepost FROM PUBLIC;
GRANT CONNECT ON DATABASE milepost TO milepost_server;
\connect milepost
-- What the owner makes later is the server's to use, too.
ALTER DEFAULT PRIVILEGES FOR ROLE milepost_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO milepost_server;
ALTER DEFAULT PRIVILEGES FOR ROLE milepost_owner GRANT USAGE ON SEQUENCES TO milepost_server;
-- For the metric of the size of the write-ahead log.
GRANT EXECUTE ON FUNCTION pg_ls_waldir() TO milepost_server;

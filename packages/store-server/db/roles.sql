-- Run once as a superuser: psql postgres < packages/store-server/db/roles.sql. Then set the passwords: \password
-- milepost_owner, \password milepost_server. The owner changes tables when a new version is installed. The server only
-- reads and writes rows, and cannot change rows of append-only tables (migrations/grants-0001.sql).
CREATE ROLE milepost_owner LOGIN;
CREATE ROLE milepost_server LOGIN;
CREATE DATABASE milepost OWNER milepost_owner;
REVOKE ALL ON DATABASE milepost FROM PUBLIC;
GRANT CONNECT ON DATABASE milepost TO milepost_server;
\connect milepost
-- Also for tables and sequences that the owner creates later.
ALTER DEFAULT PRIVILEGES FOR ROLE milepost_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO milepost_server;
ALTER DEFAULT PRIVILEGES FOR ROLE milepost_owner GRANT USAGE ON SEQUENCES TO milepost_server;
-- For the metric of the write-ahead log size.
GRANT EXECUTE ON FUNCTION pg_ls_waldir() TO milepost_server;

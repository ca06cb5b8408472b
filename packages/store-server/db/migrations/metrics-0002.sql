-- Backups of the database; the owner's script inserts a row after each backup. Their age is a metric, and the server
-- only reads them.
CREATE TABLE database_backup (
  at timestamptz PRIMARY KEY DEFAULT now()
);

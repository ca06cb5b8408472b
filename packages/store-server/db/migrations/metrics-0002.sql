-- Backups of the database, recorded by the owner's script after each. Their age is a metric; the server only reads it.
CREATE TABLE database_backup (
  at timestamptz PRIMARY KEY DEFAULT now()
);

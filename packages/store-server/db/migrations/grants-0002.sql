-- A server that could record a backup could hide that there is none.
DO $$
BEGIN
  IF to_regrole('milepost_server') IS NOT NULL THEN
    REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON database_backup FROM milepost_server;
  END IF;
END
$$;

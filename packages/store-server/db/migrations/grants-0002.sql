-- A server that could insert backup records could hide a missing backup.
DO $$
BEGIN
  IF to_regrole('milepost_server') IS NOT NULL THEN
    REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON database_backup FROM milepost_server;
  END IF;
END
$$;

-- Only the owner's command confirms changes: a server that could confirm them could grant permissions at every lane.
DO $$
BEGIN
  IF to_regrole('milepost_server') IS NOT NULL THEN
    REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON change_confirmed FROM milepost_server;
  END IF;
END
$$;

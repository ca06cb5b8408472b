-- The server's role can insert and read rows of these tables, but not change or delete them. The owner can, because a
-- rebuild writes some of the rows again. A role that owns the tables, or a database without this role, is not
-- restricted.
DO $$
DECLARE
  name text;
BEGIN
  IF to_regrole('milepost_server') IS NULL THEN
    RETURN;
  END IF;
  FOREACH name IN ARRAY ARRAY[
    'fact', 'seal_key', 'proof_key', 'store_mode',
    'voucher_counted', 'voucher_issue', 'voucher_release',
    'receipt_line', 'receipt_payment', 'held_sale_gone', 'overview_shift', 'overview_z', 'catalog_import'
  ] LOOP
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM milepost_server', name);
  END LOOP;
  -- Quarantined facts: the server records the reason, and deletes the rows of facts that it applied later; only the
  -- owner settles them.
  REVOKE UPDATE, TRUNCATE ON fact_aside FROM milepost_server;
  GRANT UPDATE (reason) ON fact_aside TO milepost_server;
  -- Tables whose rows the server changes but never deletes: owners of tokens, progress of streams, location of money.
  FOREACH name IN ARRAY ARRAY[
    'device', 'enrolment_code', 'lane', 'stream', 'stream_awaited', 'database_identity',
    'voucher_account', 'voucher_ledger', 'receipt', 'receipt_return', 'overview_original'
  ] LOOP
    EXECUTE format('REVOKE DELETE, TRUNCATE ON %I FROM milepost_server', name);
  END LOOP;
END
$$;

-- Archived facts are looked up as the others are.
CREATE INDEX fact_archive_of_source ON fact_archive (subject) WHERE kind IN ('sale', 'return', 'operation');
CREATE INDEX fact_archive_of_voucher ON fact_archive ((body ->> 'codeHash'))
  WHERE kind IN ('voucher-entry', 'voucher-use', 'voucher-transfer');

-- The server looks up archived facts in the same way as current ones.
CREATE INDEX fact_archive_of_source ON fact_archive (subject) WHERE kind IN ('sale', 'return', 'operation');
CREATE INDEX fact_archive_of_voucher ON fact_archive ((body ->> 'codeHash'))
  WHERE kind IN ('voucher-entry', 'voucher-use', 'voucher-transfer');

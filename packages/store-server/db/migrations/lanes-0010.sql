-- Facts of past months, in one partition for each month (UTC) of receipt; the `archive` command moves them here. A
-- partition never changes again, so it can be backed up once and stored on another disk.
CREATE TABLE fact_archive (LIKE fact INCLUDING DEFAULTS) PARTITION BY RANGE (received_at);
ALTER TABLE fact_archive ADD PRIMARY KEY (stream, seq, received_at);
CREATE INDEX fact_archive_of_kind ON fact_archive (stream, kind, seq);

CREATE VIEW fact_all AS SELECT * FROM fact UNION ALL SELECT * FROM fact_archive;

-- A quarantined fact may be archived.
ALTER TABLE fact_aside DROP CONSTRAINT fact_aside_stream_seq_fkey;

DO $$
BEGIN
  IF to_regrole('milepost_server') IS NOT NULL THEN
    REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON fact_archive, fact_all FROM milepost_server;
  END IF;
END
$$;

-- Stored bytes of a file: they limit the upload to the offered size and identify the last part. A server of the
-- previous release does not update this column; the server counts the parts again when the file is offered.
ALTER TABLE catalog_file ADD COLUMN kept_bytes bigint NOT NULL DEFAULT 0 CHECK (kept_bytes >= 0);
UPDATE catalog_file AS file SET kept_bytes = (SELECT coalesce(sum(length(chunk)), 0) FROM catalog_file_part AS part
  WHERE part.store = file.store AND part.hash = file.hash);

-- How much of a file is there: no more is taken than was offered, and its last part is known by it. A server of the
-- release before, beside this one, does not count: a file that it took parts of is looked at when it is offered again.
ALTER TABLE catalog_file ADD COLUMN kept_bytes bigint NOT NULL DEFAULT 0 CHECK (kept_bytes >= 0);
UPDATE catalog_file AS file SET kept_bytes = (SELECT coalesce(sum(length(chunk)), 0) FROM catalog_file_part AS part
  WHERE part.store = file.store AND part.hash = file.hash);

-- Lane that offered the file and whose quota the file uses, and time of its last part. An unfinished file without
-- progress is deleted. '': offered to a server of the previous release.
ALTER TABLE catalog_file ADD COLUMN lane text NOT NULL DEFAULT '',
  ADD COLUMN progress_at timestamptz NOT NULL DEFAULT now();

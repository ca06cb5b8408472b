-- Which lane offered a file, whose budget it counts against, and when its last part came: an unfinished one that gets
-- no more parts ends. '': offered to a server of the release before.
ALTER TABLE catalog_file ADD COLUMN lane text NOT NULL DEFAULT '',
  ADD COLUMN progress_at timestamptz NOT NULL DEFAULT now();

-- The first fact of the stream that is stored and that no part of the store has read: while a rebuild runs, pushes only
-- store. Null: all are read.
ALTER TABLE stream ADD COLUMN unread_from integer;
CREATE INDEX stream_unread ON stream (store) WHERE unread_from IS NOT NULL;

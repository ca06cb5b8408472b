-- First stored fact of the stream that the server has not processed: during a rebuild, a push only stores facts. NULL:
-- all facts are processed.
ALTER TABLE stream ADD COLUMN unread_from integer;
CREATE INDEX stream_unread ON stream (store) WHERE unread_from IS NOT NULL;

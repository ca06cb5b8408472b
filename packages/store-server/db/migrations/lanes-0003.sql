-- Greatest number of an awaited stream that another lane has read; greater than `stream.applied` while facts are
-- missing.
ALTER TABLE stream_awaited ADD COLUMN heard bigint NOT NULL DEFAULT 0;

-- How far other lanes have read in a stream that is awaited: further than the database has it, while that is missing.
ALTER TABLE stream_awaited ADD COLUMN heard bigint NOT NULL DEFAULT 0;

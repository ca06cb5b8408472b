-- The fact of a receipt may be archived.
ALTER TABLE receipt DROP CONSTRAINT receipt_stream_seq_fkey;

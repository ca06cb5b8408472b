-- When the lane asked, in milliseconds by its own clock: what it gave up before that frees nothing. Null of a lane, or
-- by a server beside this one, of the release before: then whatever it gives up counts.
ALTER TABLE voucher_activation ADD COLUMN asked_at bigint;

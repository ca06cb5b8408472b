-- Time of the request in milliseconds on the lane's clock: a release that the lane requested earlier does not end this
-- activation. NULL: from a lane or server of the previous release; every release ends it.
ALTER TABLE voucher_activation ADD COLUMN asked_at bigint;

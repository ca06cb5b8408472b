-- Times are epoch milliseconds. No row gives access: the payload of a code is sealed with the code itself.
CREATE TABLE enrolment_code (
  id text PRIMARY KEY CHECK (length(id) = 5),
  store text NOT NULL,
  lane text NOT NULL,
  made_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  proof_hash bytea NOT NULL CHECK (octet_length(proof_hash) = 32),
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  sealed bytea,
  revoked_at bigint,
  exchanged_at bigint,
  lane_key text,
  answer bytea,
  confirmed_at bigint,
  -- An exchanged code has no payload any more and belongs to a lane.
  CHECK (exchanged_at IS NULL OR (sealed IS NULL AND lane_key IS NOT NULL)),
  CHECK (confirmed_at IS NULL OR (exchanged_at IS NOT NULL AND answer IS NULL))
);
CREATE INDEX enrolment_code_of_lane ON enrolment_code (store, lane, made_at);
-- For the cleanup, which runs every minute.
CREATE INDEX enrolment_code_sealed ON enrolment_code (expires_at) WHERE sealed IS NOT NULL;
CREATE INDEX enrolment_code_answered ON enrolment_code (exchanged_at) WHERE answer IS NOT NULL;

-- Wrong attempts for each public part of a code, also for parts that do not exist: both get the same answer.
CREATE TABLE enrolment_try (
  code_id text PRIMARY KEY,
  wrong integer NOT NULL,
  last bigint NOT NULL
);

CREATE TABLE device (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  store text NOT NULL,
  lane text NOT NULL,
  lane_key text NOT NULL,
  code_id text NOT NULL,
  since bigint NOT NULL,
  revoked_at bigint
);
CREATE UNIQUE INDEX device_of_lane ON device (store, lane) WHERE revoked_at IS NULL;

-- One for each lane and version: what the lane said last. Times are ISO 8601, UTC, as lanes write them.
CREATE TABLE update_report (
  version text NOT NULL,
  store text NOT NULL,
  lane text NOT NULL,
  from_version text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('running', 'went-back', 'failed')),
  why text,
  at text NOT NULL,
  received_at text NOT NULL,
  PRIMARY KEY (version, store, lane)
);

-- What stood when it was last halted: whoever lets the wave go on has seen that.
CREATE TABLE update_halt (
  version text PRIMARY KEY,
  running integer NOT NULL,
  lanes_left integer NOT NULL
);

-- The newest halt: a channel of this sequence, or of one before it, is given out by no server.
CREATE TABLE update_halt_request (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  version text NOT NULL,
  sequence bigint NOT NULL,
  running integer NOT NULL,
  lanes_left integer NOT NULL,
  at text NOT NULL
);

-- Newest report of each lane about each version. Times are ISO 8601 in UTC, as lanes write them.
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

-- Counts at the last halt, which the person who resumes the wave has seen.
CREATE TABLE update_halt (
  version text PRIMARY KEY,
  running integer NOT NULL,
  lanes_left integer NOT NULL
);

-- Newest halt: no server publishes a channel with this sequence or an earlier one.
CREATE TABLE update_halt_request (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  version text NOT NULL,
  sequence bigint NOT NULL,
  running integer NOT NULL,
  lanes_left integer NOT NULL,
  at text NOT NULL
);

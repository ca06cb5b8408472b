-- How loud each lane is. 0: no sound. A lane that has no row was never set.

CREATE TABLE lane_sound (
  lane   TEXT PRIMARY KEY,
  volume INTEGER NOT NULL CHECK (volume BETWEEN 0 AND 10)
) STRICT, WITHOUT ROWID;

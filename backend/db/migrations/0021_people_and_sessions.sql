-- Wrong PINs are counted for each door on its own, and a PIN that the installer set is changed by its owner.

ALTER TABLE staff ADD COLUMN pin_temporary INTEGER NOT NULL DEFAULT 0 CHECK (pin_temporary IN (0, 1)); -- set by another than its owner
-- So far only the installer could set a PIN.
UPDATE staff SET pin_temporary = 1 WHERE pin_hash IS NOT NULL;

-- sign-in: at the sign-in screen, by whose PIN it was. approval-asker: at approvals, by who asked. approval-approver: at approvals, by whose PIN it was.
-- failed_attempts, lockouts and locked_until of staff stay for the release before this one and are not used any more.
CREATE TABLE pin_door (
  door TEXT NOT NULL CHECK (door IN ('sign-in', 'approval-asker', 'approval-approver')),
  staff_id TEXT NOT NULL REFERENCES staff (id),
  failed INTEGER NOT NULL DEFAULT 0,               -- since the count was last begun anew
  lockouts INTEGER NOT NULL DEFAULT 0,             -- since the last good PIN at this door; each is longer than the one before
  locked_ms INTEGER,                               -- what was left of the lock when it was written; NULL: none
  written_at_uptime_ms INTEGER,                    -- the machine's uptime then; NULL: not known, nothing of the lock has passed
  PRIMARY KEY (door, staff_id)
) STRICT, WITHOUT ROWID;

INSERT INTO pin_door (door, staff_id, failed, lockouts, locked_ms)
  SELECT 'sign-in', id, failed_attempts, lockouts, min(3600000, locked_until - CAST(unixepoch('subsec') * 1000 AS INTEGER)) FROM staff
  WHERE failed_attempts > 0 OR lockouts > 0;
UPDATE pin_door SET locked_ms = NULL WHERE locked_ms <= 0;

-- Version 2: offer states of collectors, sign-in of members, imported data.
CREATE TABLE offer_state (
  collector_number TEXT NOT NULL,
  offer_id         TEXT NOT NULL,
  name             TEXT NOT NULL CHECK (name IN ('SAVE', 'OPT_IN')),
  value            TEXT NOT NULL CHECK (value IN ('SAVED', 'UNSAVED', 'OPTED_IN')),
  -- UTC with microseconds and Z (specification 1 §2.2).
  updated_at       TEXT NOT NULL,
  PRIMARY KEY (collector_number, offer_id, name)
) STRICT, WITHOUT ROWID;

-- Query parameters for each X-Origin-Client (specification 1 §4.1), as a JSON object.
CREATE TABLE feed_mapping (
  origin_client TEXT PRIMARY KEY,
  parameters    TEXT NOT NULL
) STRICT;

-- 0: a seeded offer, whose dates are relative to today. 1: an imported offer with fixed dates.
ALTER TABLE offer ADD COLUMN imported INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1));

-- Ids of preferred categories, best first, as a JSON array.
ALTER TABLE collector ADD COLUMN preferences TEXT NOT NULL DEFAULT '[]';

-- Code that the switch returns for the account or the sponsor instead of calling the service.
ALTER TABLE collector ADD COLUMN switch_answer TEXT CHECK (switch_answer IN ('0008', '0092', '0096'));
ALTER TABLE sponsor ADD COLUMN switch_answer TEXT CHECK (switch_answer IN ('0008', '0092', '0096'));

-- Miles that a partner may send with an offer code: a multiple of unit_miles, at most max_miles (codes 207 and 208 of
-- specification 3 §7.1).
ALTER TABLE issuance_offer ADD COLUMN unit_miles INTEGER CHECK (unit_miles > 0);
ALTER TABLE issuance_offer ADD COLUMN max_miles INTEGER CHECK (max_miles > 0);

CREATE INDEX issuance_by_operation ON issuance (operation_id) WHERE operation_id IS NOT NULL;
CREATE INDEX redemption_by_operation ON redemption (operation_id);

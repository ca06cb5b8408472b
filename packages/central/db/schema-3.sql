-- Version 3: what a long history needs so that reading it does not grow with everything else.

-- What took an operation back is found without reading every operation.
CREATE INDEX operation_by_undone ON operation (undoes) WHERE undoes IS NOT NULL;

-- When what an operation does was asked for, epoch milliseconds: before `at` where it waited (specification 3 §4.2 rule
-- 2).
-- A history is read by collector and range.
DROP TRIGGER operation_fixed;
ALTER TABLE operation ADD COLUMN transacted_at INTEGER NOT NULL DEFAULT 0;
UPDATE operation SET transacted_at = coalesce((SELECT i.at FROM issuance i WHERE i.operation_id = operation.id), at);
CREATE INDEX operation_by_moment ON operation (collector_number, transacted_at);
CREATE TRIGGER operation_fixed BEFORE UPDATE ON operation BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;

-- What a posting left on its account, so that a balance of the past is read and not summed.
DROP TRIGGER posting_fixed;
ALTER TABLE posting ADD COLUMN balance INTEGER NOT NULL DEFAULT 0;
UPDATE posting SET balance = told.balance
  FROM (SELECT operation_id, account_id, sum(miles) OVER (PARTITION BY account_id ORDER BY operation_id) AS balance
    FROM posting) told
 WHERE told.operation_id = posting.operation_id AND told.account_id = posting.account_id;
CREATE TRIGGER posting_fixed BEFORE UPDATE ON posting BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;

-- The $750 of a day are counted from the store's midnight, the units of an offer over 24 hours: both from the moment.
DROP INDEX redemption_by_day;
ALTER TABLE redemption DROP COLUMN program_day;
CREATE INDEX redemption_by_moment ON redemption (collector_number, transacted_at);

-- What a collector types on the sign-in page beside the number. Made up like everything here, so that it may be read.
ALTER TABLE collector ADD COLUMN pin TEXT NOT NULL DEFAULT '2468' CHECK (length(pin) BETWEEN 4 AND 8
  AND pin NOT GLOB '*[^0-9]*');

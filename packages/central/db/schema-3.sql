-- Version 3: indexes and columns that keep reads of a long history fast.

-- Finds the operation that undid another one.
CREATE INDEX operation_by_undone ON operation (undoes) WHERE undoes IS NOT NULL;

-- Time of the request in epoch milliseconds; before `at` if the operation waited (specification 3 §4.2 rule 2).
-- Histories are read by collector and time range.
DROP TRIGGER operation_fixed;
ALTER TABLE operation ADD COLUMN transacted_at INTEGER NOT NULL DEFAULT 0;
UPDATE operation SET transacted_at = coalesce((SELECT i.at FROM issuance i WHERE i.operation_id = operation.id), at);
CREATE INDEX operation_by_moment ON operation (collector_number, transacted_at);
CREATE TRIGGER operation_fixed BEFORE UPDATE ON operation BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;

-- Balance of the account after the posting, so that past balances are read and not summed.
DROP TRIGGER posting_fixed;
ALTER TABLE posting ADD COLUMN balance INTEGER NOT NULL DEFAULT 0;
UPDATE posting SET balance = told.balance
  FROM (SELECT operation_id, account_id, sum(miles) OVER (PARTITION BY account_id ORDER BY operation_id) AS balance
    FROM posting) told
 WHERE told.operation_id = posting.operation_id AND told.account_id = posting.account_id;
CREATE TRIGGER posting_fixed BEFORE UPDATE ON posting BEGIN SELECT RAISE (ABORT, 'the ledger is append-only'); END;

-- The daily limit of $750 counts from midnight at the store, the unit limit of an offer over 24 hours. Both use
-- `transacted_at`.
DROP INDEX redemption_by_day;
ALTER TABLE redemption DROP COLUMN program_day;
CREATE INDEX redemption_by_moment ON redemption (collector_number, transacted_at);

-- PIN for the sign-in page. Stored in plain text, because all collectors are fictitious.
ALTER TABLE collector ADD COLUMN pin TEXT NOT NULL DEFAULT '2468' CHECK (length(pin) BETWEEN 4 AND 8
  AND pin NOT GLOB '*[^0-9]*');

-- Version 4: the entries of one call have a status of their own (specification 3 §2.3). What is in order moves at once,
-- under
-- operation_id; what waits moves when it is settled, under an operation of its own.
ALTER TABLE issuance ADD COLUMN settling_operation_id INTEGER REFERENCES operation (id);
CREATE INDEX issuance_by_settling ON issuance (settling_operation_id) WHERE settling_operation_id IS NOT NULL;

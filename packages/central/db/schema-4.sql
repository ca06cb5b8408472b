-- Version 4: each entry of a call has its own status (specification 3 §2.3). Accepted entries move miles immediately,
-- under operation_id; pending entries move them when settled, under settling_operation_id.
ALTER TABLE issuance ADD COLUMN settling_operation_id INTEGER REFERENCES operation (id);
CREATE INDEX issuance_by_settling ON issuance (settling_operation_id) WHERE settling_operation_id IS NOT NULL;

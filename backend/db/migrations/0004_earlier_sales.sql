-- Earlier sales: listed newest first, found by the end of their id, and those whose receipt never reached paper.

CREATE INDEX sale_closed ON sale (lane, closed_at, sequence) WHERE state <> 'open';
-- People type the last characters of the number under a receipt's barcode.
CREATE INDEX sale_by_end_of_id ON sale (substr(id, -4));
-- Few sales have a job here: the list and the count of receipts that never reached paper begin with them, not with every sale.
CREATE INDEX print_job_in_doubt ON print_job (sale_id) WHERE state IN ('failed', 'unknown');

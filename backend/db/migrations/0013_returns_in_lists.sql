-- Returns stand among the closed sales of their lane, newest first, and are found by the end of their number.

CREATE INDEX sale_return_newest ON sale_return (lane, at, sequence);
CREATE INDEX sale_return_by_end_of_id ON sale_return (substr(id, -4));

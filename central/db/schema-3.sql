-- Version 3: what a long history needs so that reading it does not grow with everything else.

-- What took an operation back is found without reading every operation.
CREATE INDEX operation_by_undone ON operation (undoes) WHERE undoes IS NOT NULL;

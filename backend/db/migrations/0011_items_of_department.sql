-- The items of one department in alphabetical order, for the quick keys.

CREATE INDEX item_of_department ON item (department_id, id);

-- readable from: 1
-- Buyers whose promotions apply to the sale, in addition to those for everyone and members. NULL: none.
ALTER TABLE sale ADD COLUMN buyer_group TEXT CHECK (buyer_group IN ('staff', 'seniors'));

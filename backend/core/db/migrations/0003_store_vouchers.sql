-- readable from: 1
-- Gift cards and store credit that any lane of a store accepts. Each cent of a voucher is in one place, at a lane or in
-- the store; transfers move it. The first transfer marks this database as unreadable for programs before this schema,
-- because they would spend value that is now in the store (docs/decisions/0029-stored-value-moves-and-is-leased.md).

-- Transfers between this lane and the store. The lane sends all of them, except corrections after it was restored from
-- a backup.
CREATE TABLE voucher_transfer (
  id           TEXT PRIMARY KEY CHECK (length(id) = 36),  -- created by the lane; of a draw, the id in voucher_draw
  voucher_id   TEXT NOT NULL REFERENCES voucher (id),
  direction    TEXT NOT NULL CHECK (direction IN ('drawn', 'handed-over')),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  at           INTEGER NOT NULL,
  reason       TEXT NOT NULL CHECK (reason IN ('payment', 'surplus', 'restore'))
) STRICT, WITHOUT ROWID;
CREATE INDEX voucher_transfer_by_voucher ON voucher_transfer (voucher_id);
CREATE TRIGGER voucher_transfer_keeps BEFORE UPDATE ON voucher_transfer
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_transfer_stays BEFORE DELETE ON voucher_transfer
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_transfer_is_new BEFORE INSERT ON voucher_transfer
  WHEN EXISTS (SELECT 1 FROM voucher_transfer WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;

-- Amounts that this lane requested from the store. The lane stores a request before sending it; the answer, or a
-- repeated request, settles it.
CREATE TABLE voucher_draw (
  id           TEXT PRIMARY KEY CHECK (length(id) = 36),
  voucher_id   TEXT NOT NULL REFERENCES voucher (id),
  sale_id      TEXT NOT NULL REFERENCES sale (id),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  asked_at     INTEGER NOT NULL,
  -- asked: the outcome is unknown. cancelling: the lane no longer wants the amount and the store has not confirmed.
  -- drawn, refused, cancelled: final. left: final; from before a restore, so only the store knows the outcome.
  state        TEXT NOT NULL CHECK (state IN ('asked', 'cancelling', 'drawn', 'refused', 'cancelled', 'left'))
) STRICT, WITHOUT ROWID;
CREATE INDEX voucher_draw_open ON voucher_draw (voucher_id) WHERE state IN ('asked', 'cancelling');
CREATE TRIGGER voucher_draw_goes_on BEFORE UPDATE ON voucher_draw
WHEN NEW.id <> OLD.id OR NEW.voucher_id <> OLD.voucher_id OR NEW.sale_id <> OLD.sale_id
  OR NEW.amount_cents <> OLD.amount_cents OR NEW.asked_at <> OLD.asked_at OR NOT (
    OLD.state = 'asked' AND NEW.state IN ('cancelling', 'drawn', 'refused', 'left')
    OR OLD.state = 'cancelling' AND NEW.state IN ('cancelled', 'left'))
BEGIN SELECT RAISE(ABORT, 'a draw is settled once'); END;
CREATE TRIGGER voucher_draw_stays BEFORE DELETE ON voucher_draw
BEGIN SELECT RAISE(ABORT, 'a draw is settled once'); END;
CREATE TRIGGER voucher_draw_is_new BEFORE INSERT ON voucher_draw
  WHEN EXISTS (SELECT 1 FROM voucher_draw WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a draw is settled once'); END;

-- Payments with a voucher beyond the value that this lane issued: voucher_entry rejects these.
CREATE TABLE voucher_use (
  id           INTEGER PRIMARY KEY,
  voucher_id   TEXT NOT NULL REFERENCES voucher (id),
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('redeemed', 'given-back')),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  sale_id      TEXT NOT NULL REFERENCES sale (id)
) STRICT;
CREATE INDEX voucher_use_by_voucher ON voucher_use (voucher_id, sale_id);
CREATE TRIGGER voucher_use_keeps BEFORE UPDATE ON voucher_use
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_use_stays BEFORE DELETE ON voucher_use
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_use_is_new BEFORE INSERT ON voucher_use
  WHEN EXISTS (SELECT 1 FROM voucher_use WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_use_gives_back_what_it_paid BEFORE INSERT ON voucher_use
WHEN NEW.kind = 'given-back'
  AND NEW.amount_cents > (SELECT coalesce(sum(iif(kind = 'redeemed', amount_cents, -amount_cents)), 0) FROM voucher_use
  WHERE voucher_id = NEW.voucher_id AND sale_id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher paid'); END;

-- The value of a voucher at this lane is the sum of these movements.
CREATE VIEW voucher_movement AS
  SELECT voucher_id, iif(kind = 'redeemed', -amount_cents, amount_cents) AS cents FROM voucher_entry
  UNION ALL SELECT voucher_id, iif(kind = 'redeemed', -amount_cents, amount_cents) FROM voucher_use
  UNION ALL SELECT voucher_id, iif(direction = 'drawn', amount_cents, -amount_cents) FROM voucher_transfer;
CREATE TRIGGER voucher_use_is_covered BEFORE INSERT ON voucher_use
WHEN NEW.kind = 'redeemed'
  AND NEW.amount_cents > (SELECT coalesce(sum(cents), 0) FROM voucher_movement WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher holds'); END;
CREATE TRIGGER voucher_transfer_is_covered BEFORE INSERT ON voucher_transfer
WHEN NEW.direction = 'handed-over'
  AND NEW.amount_cents > (SELECT coalesce(sum(cents), 0) FROM voucher_movement WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher holds'); END;

-- Restore of this lane from a backup. Until the lane has compared its vouchers with the store's data, no voucher from
-- before the restore can pay.
CREATE TABLE voucher_epoch (
  epoch       INTEGER PRIMARY KEY CHECK (epoch > 1),
  last_entry  INTEGER NOT NULL,  -- newest voucher_entry in the backup
  compared_at INTEGER
) STRICT;
CREATE TRIGGER voucher_epoch_keeps BEFORE UPDATE ON voucher_epoch
WHEN NEW.epoch <> OLD.epoch OR NEW.last_entry <> OLD.last_entry OR OLD.compared_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an epoch is compared once'); END;

CREATE TRIGGER store_tells_voucher_use AFTER INSERT ON voucher_use
BEGIN INSERT INTO store_told (kind, subject) VALUES ('voucher-use', CAST(NEW.id AS TEXT)); END;
CREATE TRIGGER store_tells_voucher_transfer AFTER INSERT ON voucher_transfer WHEN NEW.reason <> 'restore'
BEGIN INSERT INTO store_told (kind, subject) VALUES ('voucher-transfer', NEW.id); END;

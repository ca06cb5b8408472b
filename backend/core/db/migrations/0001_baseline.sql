-- readable from: 1
-- Schema of a lane's database.
--
-- Units: money in integer cents, miles as whole numbers, times in milliseconds since the Unix epoch. Hashes are
-- SHA-256. A column with another unit has a comment. A displayed name is a JSON object with one text for each locale:
-- {"en-CA": "Milk", "fr-CA": "Lait"}.
--
-- The program defines the values of `kind` of tenders, vouchers and print jobs, so that a new kind needs no migration.
-- A CHECK that names a kind requires columns of that kind only.
--
-- Triggers make rows about money, miles and people immutable. REPLACE deletes rows without running BEFORE DELETE
-- triggers, so the triggers named `…_is_new` reject inserts over existing rows.


-- Staff and windows ---------------------------------------------------------------------------------------------------

CREATE TABLE staff (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('cashier', 'supervisor', 'manager')),
  locale        TEXT NOT NULL CHECK (locale GLOB '[a-z][a-z]-[A-Z][A-Z]'),
  pin_hash      TEXT,  -- scrypt verifier: keyed$N$r$p$salt$hash; NULL: no PIN set
  pin_temporary INTEGER NOT NULL DEFAULT 0 CHECK (pin_temporary IN (0, 1)), -- 1: must be replaced at the next sign-in
  active        INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  -- Keyed hash of the badge number; NULL: no badge. A deactivated badge keeps its hash, so that the lane can
  -- distinguish it from an unknown badge.
  badge_hash    BLOB UNIQUE CHECK (length(badge_hash) = 32),
  badge_active  INTEGER NOT NULL DEFAULT 1 CHECK (badge_active IN (0, 1)),
  -- The person's entry in the profile at the last start. Changes made at the lane are in effect until this entry
  -- changes. NULL: added at the lane, or no longer in the profile.
  profile_entry TEXT CHECK (json_valid(profile_entry))
) STRICT;

-- Counters of wrong PINs. `staff_id` for each `door`: sign-in: owner of the PIN. approval-asker: person who requested
-- the approval. approval-approver: owner of the PIN.
CREATE TABLE pin_door (
  door                 TEXT NOT NULL CHECK (door IN ('sign-in', 'approval-asker', 'approval-approver')),
  staff_id             TEXT NOT NULL REFERENCES staff (id),
  failed               INTEGER NOT NULL DEFAULT 0,  -- wrong PINs since a correct one, lockout or unlock
  -- Lockouts since the last correct PIN; each lockout is longer than the previous one.
  lockouts             INTEGER NOT NULL DEFAULT 0,
  locked_ms            INTEGER,                     -- rest of the lockout when the row was written; NULL: no lockout
  -- Uptime of the machine when the row was written; NULL: unknown, so the full rest of the lockout applies.
  written_at_uptime_ms INTEGER,
  PRIMARY KEY (door, staff_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE window_session (
  secret_hash  TEXT PRIMARY KEY,            -- hash of the key that the window got when it was opened
  window_id    TEXT NOT NULL UNIQUE,        -- constant until the window closes; grants no access
  opened_at    INTEGER NOT NULL,
  staff_id     TEXT REFERENCES staff (id),  -- NULL: no one is signed in
  signed_in_at INTEGER
) STRICT;

-- Commands from windows in the last day, by idempotency key. A command and its effect are in the same transaction.
CREATE TABLE command (
  -- A rowid keeps the rows in insertion order: keys are random, and answers are too long to be part of an index.
  id          INTEGER PRIMARY KEY,
  key         TEXT NOT NULL UNIQUE,
  at          INTEGER NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),  -- keyed hash of the request
  -- Window and, for staff commands, person that can receive the stored answer again; NULL: not required.
  window_id   TEXT,
  staff_id    TEXT REFERENCES staff (id),
  answer      BLOB                                             -- sealed; NULL: only the key of the command is stored
) STRICT;
CREATE INDEX command_at ON command (at);

-- Sound volume of each lane. 0: silent. No row: never set.
CREATE TABLE lane_sound (
  lane   TEXT PRIMARY KEY,
  volume INTEGER NOT NULL CHECK (volume BETWEEN 0 AND 10)
) STRICT, WITHOUT ROWID;


-- Settings that a manager changed at the lane; they override the profile. The row of a setting with the latest
-- `from_at` in the past is in effect; of rows with the same time, the newest one. A new row replaces a setting in
-- effect. A row with `calls_off` cancels a planned change; neither of the two rows has an effect.
CREATE TABLE setting (
  id        INTEGER PRIMARY KEY,
  name      TEXT NOT NULL CHECK (name <> ''),   -- path in the profile: receipt.footer
  value     TEXT CHECK (json_valid(value)),     -- 'null': omitted; NULL: the value of the profile
  from_at   INTEGER NOT NULL,
  at        INTEGER NOT NULL CHECK (at <= from_at),
  staff_id  TEXT NOT NULL REFERENCES staff (id),
  calls_off INTEGER UNIQUE REFERENCES setting (id) CHECK (calls_off < id)
) STRICT;
CREATE INDEX setting_of ON setting (name, from_at, id);
CREATE TRIGGER setting_is_new BEFORE INSERT ON setting
  WHEN EXISTS (SELECT 1 FROM setting WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a change of a setting is written once'); END;
CREATE TRIGGER setting_keeps BEFORE UPDATE ON setting
BEGIN SELECT RAISE(ABORT, 'a change of a setting is written once'); END;
CREATE TRIGGER setting_stays BEFORE DELETE ON setting
BEGIN SELECT RAISE(ABORT, 'a change of a setting is written once'); END;


-- Catalog, offers, echo checks ----------------------------------------------------------------------------------------

-- An import replaces the catalog with a new edition. The lane then changes single items of the edition. Scanning and
-- search use a separate file for each edition, which is generated from these tables.
CREATE TABLE catalog_edition (
  id          TEXT PRIMARY KEY,
  origin      TEXT NOT NULL CHECK (origin IN ('profile', 'import')),
  file_name   TEXT NOT NULL,
  items       INTEGER NOT NULL CHECK (items > 0),
  made_at     INTEGER NOT NULL,
  made_by     TEXT REFERENCES staff (id),                         -- NULL: the terminal, at its start
  source_hash BLOB NOT NULL CHECK (length(source_hash) = 32)      -- hash of the chunks
) STRICT;

-- Imported items of an edition, compressed with deflate.
CREATE TABLE catalog_source (
  edition_id TEXT NOT NULL REFERENCES catalog_edition (id),
  number     INTEGER NOT NULL CHECK (number > 0),
  chunk      BLOB NOT NULL,
  PRIMARY KEY (edition_id, number)
) STRICT;

-- Changes of an edition at the lane, in order.
CREATE TABLE catalog_change (
  number     INTEGER PRIMARY KEY,
  edition_id TEXT NOT NULL REFERENCES catalog_edition (id),
  at         INTEGER NOT NULL,
  by_id      TEXT NOT NULL REFERENCES staff (id),
  change     TEXT NOT NULL CHECK (json_valid(change))
) STRICT;
CREATE INDEX catalog_change_of_edition ON catalog_change (edition_id, number);

CREATE TABLE catalog_in_use (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  current_id   TEXT NOT NULL REFERENCES catalog_edition (id),
  -- Edition that an undo of the last import makes current again.
  previous_id  TEXT REFERENCES catalog_edition (id) CHECK (previous_id <> current_id),
  -- Hash of the profile's catalog file that was last imported, or skipped as superseded.
  profile_hash TEXT
) STRICT;

-- Quick keys of a department as arranged by a manager; they override the profile.
CREATE TABLE quick_key_list (
  department_id TEXT PRIMARY KEY,
  skus          TEXT NOT NULL CHECK (json_valid(skus))
) STRICT, WITHOUT ROWID;

-- Coupons that a manager added, changed or removed; they override the profile's coupons with the same code.
CREATE TABLE store_coupon (
  code   TEXT PRIMARY KEY CHECK (code = upper(code)),
  coupon TEXT CHECK (json_valid(coupon))  -- NULL: removed
) STRICT, WITHOUT ROWID;

-- Newest complete offer list for each language; shown with its age while the offer service is unavailable.
CREATE TABLE offer_list (
  locale     TEXT PRIMARY KEY CHECK (locale GLOB '[a-z][a-z]-[A-Z][A-Z]'),
  region     TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  total      INTEGER NOT NULL,
  offers     TEXT NOT NULL CHECK (json_valid(offers))
) STRICT;

-- Echo checks of the last days. The commit of a check also updates `echo_hour`, so these rows can be deleted at any
-- time.
CREATE TABLE echo_result (
  id       INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  failed   INTEGER NOT NULL CHECK (failed IN (0, 1)),
  -- Time since the previous check during which the lane was running; 0 after a gap.
  known_ms INTEGER NOT NULL CHECK (known_ms >= 0),
  result   TEXT NOT NULL CHECK (json_valid(result))
) STRICT;
-- Finds the start of the current connection state: the last failure or gap.
CREATE INDEX echo_result_turn ON echo_result (id) WHERE failed = 1 OR known_ms = 0;

-- Sums of the echo checks of each hour, kept for one year. No row: the lane was off during that hour.
CREATE TABLE echo_hour (
  -- Start of the hour on the store's clock; in some time zones at half past the hour in UTC.
  from_ms        INTEGER PRIMARY KEY,
  checks         INTEGER NOT NULL CHECK (checks >= 0),
  failures       INTEGER NOT NULL CHECK (failures BETWEEN 0 AND checks),
  -- on_ms: time in the hour while the lane was running. down_ms: part of on_ms after a failed check.
  on_ms          INTEGER NOT NULL CHECK (on_ms BETWEEN 0 AND 3600000),
  down_ms        INTEGER NOT NULL CHECK (down_ms BETWEEN 0 AND on_ms),
  -- timed: number of successful checks. latency_…: their latencies in tenths of milliseconds.
  timed          INTEGER NOT NULL CHECK (timed BETWEEN 0 AND checks),
  latency_sum    INTEGER NOT NULL,
  latency_least  INTEGER,
  latency_most   INTEGER,
  CHECK ((latency_least IS NULL) = (timed = 0) AND (latency_most IS NULL) = (timed = 0))
) STRICT;

-- Outages: failed echo checks without a successful one between them. Contains the newest thousand.
CREATE TABLE echo_outage (
  id      INTEGER PRIMARY KEY,
  from_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- First successful check after the outage. NULL: the outage continues, or the lane was shut down before one.
  to_at   INTEGER,
  checks  INTEGER NOT NULL CHECK (checks > 0),
  -- Result of the first failed check, without headers.
  result  TEXT NOT NULL CHECK (json_valid(result))
) STRICT;
CREATE INDEX echo_outage_last ON echo_outage (last_at);


-- Sales and their lines -----------------------------------------------------------------------------------------------

-- The profile's rules for partner-calculated miles, as applied to closed sales.
CREATE TABLE partner_rules (
  id    INTEGER PRIMARY KEY,
  rules TEXT NOT NULL UNIQUE CHECK (json_valid(rules))
) STRICT;

CREATE TABLE sale (
  id                TEXT PRIMARY KEY,
  -- Sales and returns of a lane share one sequence.
  sequence          INTEGER NOT NULL UNIQUE,
  version           INTEGER NOT NULL,
  state             TEXT NOT NULL CHECK (state IN ('open', 'completed', 'cancelled')),
  lane              TEXT NOT NULL,
  cashier_id        TEXT NOT NULL REFERENCES staff (id),                -- person who opened the sale
  -- Person who last held the sale, took a payment or closed the sale; NULL: the person who opened it.
  served_by         TEXT REFERENCES staff (id),
  opened_at         INTEGER NOT NULL,
  closed_at         INTEGER,
  -- Time of the hold: the sale is open, but is not the current sale of the lane.
  held_at           INTEGER CHECK (held_at IS NULL OR state = 'open'),
  held_as           TEXT,                                               -- name given by the cashier
  member_last4      TEXT,
  member_entry_mode TEXT CHECK (member_entry_mode IN ('SWIPE', 'SCAN', 'KEYED')),
  member_sealed     BLOB,
  member_hash       BLOB,
  member_state      TEXT CHECK (member_state IN ('pending', 'known', 'unknown')),
  -- Result of INQUIRE that the sale still needs: data for the choice of miles, balances for the receipt.
  inquiry           TEXT CHECK (json_valid(inquiry)),
  note              TEXT CHECK (length(note) BETWEEN 1 AND 120),
  -- Tax exemption: all taxes or the provincial tax, the reason, and the number of the certificate.
  exemption         TEXT CHECK (json_valid(exemption)),
  -- Highest age that the cashier verified; never a date of birth.
  age_checked       INTEGER CHECK (age_checked BETWEEN 1 AND 99),
  -- Tax rates at the close of the sale, with the tax categories of each. Returns and copies use these rates.
  taxes             TEXT CHECK (json_valid(taxes)),
  partner_rules_id  INTEGER REFERENCES partner_rules (id),              -- NULL: the program calculates the miles
  -- Totals of a completed sale at its close; reports and Z reports add them up.
  totals            TEXT CHECK (json_valid(totals)),
  shift_id          INTEGER REFERENCES shift (id),                      -- shift in which the sale was closed
  CHECK ((state = 'open') = (closed_at IS NULL)),
  CHECK ((state = 'open') = (shift_id IS NULL)),
  CHECK ((state = 'completed') = (totals IS NOT NULL)),
  CHECK ((state = 'open') = (taxes IS NULL)),
  CHECK ((held_as IS NULL) = (held_at IS NULL)),
  CHECK ((member_last4 IS NULL) = (member_sealed IS NULL))
) STRICT;
CREATE UNIQUE INDEX sale_one_open_per_lane ON sale (lane) WHERE state = 'open' AND held_at IS NULL;
CREATE INDEX sale_held ON sale (lane, held_at) WHERE held_at IS NOT NULL;
CREATE INDEX sale_closed ON sale (lane, closed_at, sequence) WHERE state <> 'open';
CREATE INDEX sale_of_shift ON sale (shift_id) WHERE shift_id IS NOT NULL;
CREATE TRIGGER sale_closes_in_open_shift BEFORE UPDATE OF shift_id ON sale
  WHEN OLD.shift_id IS NOT NULL OR (SELECT counted_at FROM shift WHERE id = NEW.shift_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'nothing is written into a shift that was counted'); END;
-- For searches by the last characters of the number under the receipt's barcode.
CREATE INDEX sale_by_end_of_id ON sale (substr(id, -4));

CREATE TABLE sale_line (
  sale_id             TEXT NOT NULL REFERENCES sale (id),
  number              INTEGER NOT NULL CHECK (number > 0),
  sku                 TEXT NOT NULL,
  names               TEXT NOT NULL CHECK (json_valid(names)),
  quantity            INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  unit_price_cents    INTEGER NOT NULL,
  regular_price_cents INTEGER CHECK (regular_price_cents >= 0),  -- the catalog's price, if another price replaced it
  tax_category        TEXT NOT NULL CHECK (tax_category IN ('standard', 'book', 'children-wear', 'diapers',
    'federal-only', 'zero-rated')),
  department_id       TEXT NOT NULL,
  category_id         TEXT,
  note                TEXT CHECK (length(note) BETWEEN 1 AND 120),
  minimum_age         INTEGER CHECK (minimum_age BETWEEN 1 AND 99),  -- minimum age of the buyer when the item was rung
  voided              INTEGER NOT NULL DEFAULT 0 CHECK (voided IN (0, 1)),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;

-- Discounts as granted. Their amounts are computed from the current lines.
CREATE TABLE sale_discount (
  sale_id       TEXT NOT NULL REFERENCES sale (id),
  number        INTEGER NOT NULL CHECK (number > 0),
  reaches       TEXT NOT NULL CHECK (reaches IN ('line', 'item', 'department', 'sale')),
  target        TEXT,                                                   -- line number, SKU or department
  off_cents     INTEGER CHECK (off_cents > 0),
  off_ppm       INTEGER CHECK (off_ppm BETWEEN 1 AND 1000000),          -- share in parts per million
  minimum_cents INTEGER NOT NULL DEFAULT 0 CHECK (minimum_cents >= 0),  -- of the discounted lines, before tax
  reason        TEXT,                                                   -- of a manual discount
  coupon        TEXT,                                                   -- code of a coupon
  names         TEXT CHECK (json_valid(names)),                         -- of a coupon
  approved_by   TEXT REFERENCES staff (id),
  removed       INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
  PRIMARY KEY (sale_id, number),
  CHECK (off_cents IS NULL OR off_ppm IS NULL),
  -- A coupon that only adds miles has no discount.
  CHECK (off_cents IS NOT NULL OR off_ppm IS NOT NULL OR coupon IS NOT NULL),
  CHECK ((reaches = 'sale') = (target IS NULL)),
  CHECK ((reason IS NULL) <> (coupon IS NULL)),
  CHECK ((coupon IS NULL) = (names IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sale_discount_coupon_once ON sale_discount (sale_id, coupon) WHERE coupon IS NOT NULL
  AND removed = 0;
-- Discounts of a closed sale are immutable: its returns and receipt copies use them.
CREATE TRIGGER sale_discount_opens BEFORE INSERT ON sale_discount
  WHEN (SELECT state FROM sale WHERE id = NEW.sale_id) <> 'open'
  OR EXISTS (SELECT 1 FROM sale_discount WHERE sale_id = NEW.sale_id AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'a discount is granted once, on an open sale'); END;
CREATE TRIGGER sale_discount_keeps
  BEFORE UPDATE OF sale_id, number, reaches, target, off_cents, off_ppm, minimum_cents, reason, coupon, names,
  approved_by ON sale_discount
BEGIN SELECT RAISE(ABORT, 'a discount stays as it was granted'); END;
CREATE TRIGGER sale_discount_rests BEFORE UPDATE ON sale_discount
  WHEN (SELECT state FROM sale WHERE id = NEW.sale_id) <> 'open'
BEGIN SELECT RAISE(ABORT, 'the sale is closed'); END;
CREATE TRIGGER sale_discount_stays BEFORE DELETE ON sale_discount
BEGIN SELECT RAISE(ABORT, 'a discount is taken back, never deleted'); END;

-- Offers of the program that the receipt of a sale shows, as of its close; copies show the same. earned: the sale
-- earned the reward. missed: the sale lacks the quantity in `missing`.
CREATE TABLE sale_offer (
  sale_id      TEXT NOT NULL REFERENCES sale (id),
  number       INTEGER NOT NULL CHECK (number > 0),
  offer_id     TEXT NOT NULL CHECK (offer_id <> ''),
  said         TEXT NOT NULL CHECK (said IN ('earned', 'missed')),
  awards       TEXT NOT NULL CHECK (json_valid(awards)),               -- by language
  qualifiers   TEXT NOT NULL CHECK (json_valid(qualifiers)),
  missing_unit TEXT CHECK (missing_unit IN ('cents', 'pieces')),
  missing      REAL CHECK (missing > 0),
  PRIMARY KEY (sale_id, number),
  CHECK ((said = 'missed') = (missing IS NOT NULL)),
  CHECK ((missing IS NULL) = (missing_unit IS NULL))
) STRICT, WITHOUT ROWID;
CREATE TRIGGER sale_offer_keeps BEFORE UPDATE ON sale_offer
BEGIN SELECT RAISE(ABORT, 'what a receipt said stays'); END;
CREATE TRIGGER sale_offer_stays BEFORE DELETE ON sale_offer
BEGIN SELECT RAISE(ABORT, 'what a receipt said stays'); END;

-- Changes of an open sale, each with the values before the change, for undo.
CREATE TABLE sale_undo (
  sale_id      TEXT NOT NULL REFERENCES sale (id),
  number       INTEGER NOT NULL CHECK (number > 0),
  -- Newest payment at the time of the change (0: none). A newer payment prevents the undo.
  after_tender INTEGER NOT NULL CHECK (after_tender >= 0),
  change       TEXT NOT NULL CHECK (json_valid(change)),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;


-- Tenders -------------------------------------------------------------------------------------------------------------

-- A row with a negative amount gives a payment back. Cash given back never exceeds cash taken.
CREATE TABLE tender (
  sale_id               TEXT NOT NULL REFERENCES sale (id),
  number                INTEGER NOT NULL CHECK (number > 0),
  kind                  TEXT NOT NULL CHECK (kind <> ''),
  amount_cents          INTEGER NOT NULL,
  rounding_cents        INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 2),
  tendered_cents        INTEGER NOT NULL,
  change_cents          INTEGER NOT NULL DEFAULT 0 CHECK (change_cents >= 0),
  reference             TEXT,
  operation_id          TEXT REFERENCES operation (id),              -- for miles: the redemption
  voucher_id            TEXT REFERENCES voucher (id),                -- for store credit and gift cards
  -- Balance after the payment, printed again on a copy of the receipt.
  voucher_balance_cents INTEGER CHECK (voucher_balance_cents >= 0),
  -- Number of the payment that this row gives back in full. NULL: a payment, or money given back by a cancelled sale.
  takes_back            INTEGER,
  at                    INTEGER NOT NULL,
  shift_id              INTEGER NOT NULL REFERENCES shift (id),      -- shift of the drawer at the time of the payment
  PRIMARY KEY (sale_id, number),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL)),
  CHECK (kind NOT IN ('store-credit', 'gift-card') OR voucher_id IS NOT NULL),
  CHECK ((voucher_id IS NULL) = (voucher_balance_cents IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX tender_of_shift ON tender (shift_id);
CREATE TRIGGER tender_enters_open_shift BEFORE INSERT ON tender
  WHEN (SELECT counted_at FROM shift WHERE id = NEW.shift_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'nothing is written into a shift that was counted'); END;
CREATE INDEX tender_by_voucher ON tender (voucher_id) WHERE voucher_id IS NOT NULL;
CREATE UNIQUE INDEX tender_taken_back_once ON tender (sale_id, takes_back) WHERE takes_back IS NOT NULL;
CREATE TRIGGER tender_of_voucher BEFORE INSERT ON tender
WHEN NEW.voucher_id IS NOT NULL AND NEW.kind <> (SELECT kind FROM voucher WHERE id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'a voucher pays as what it is'); END;
CREATE TRIGGER tender_gives_back_what_it_paid BEFORE INSERT ON tender
WHEN NEW.takes_back IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM tender AS paid JOIN sale ON sale.id = paid.sale_id
  WHERE paid.sale_id = NEW.sale_id AND paid.number = NEW.takes_back AND paid.takes_back IS NULL AND sale.state = 'open'
    AND paid.amount_cents > 0
    AND paid.kind = NEW.kind AND paid.amount_cents = -NEW.amount_cents AND paid.rounding_cents = -NEW.rounding_cents
    AND paid.tendered_cents - paid.change_cents = NEW.change_cents - NEW.tendered_cents
    AND paid.operation_id IS NEW.operation_id AND paid.voucher_id IS NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'a payment is given back as it was taken'); END;
CREATE TRIGGER tender_keeps BEFORE UPDATE ON tender BEGIN SELECT RAISE(ABORT, 'a payment is written once'); END;
CREATE TRIGGER tender_stays BEFORE DELETE ON tender BEGIN SELECT RAISE(ABORT, 'a payment is written once'); END;
CREATE TRIGGER tender_is_new BEFORE INSERT ON tender
  WHEN EXISTS (SELECT 1 FROM tender WHERE sale_id = NEW.sale_id AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'a payment is written once'); END;

-- Requests to the card terminal. The lane stores a request before sending it; the card terminal's answer, or a later
-- status request, settles it. No row contains a card number or a track.
CREATE TABLE card_transaction (
  -- Created by the lane and used once. The lane asks the card terminal for the outcome by this reference.
  reference     TEXT PRIMARY KEY CHECK (length(reference) BETWEEN 1 AND 10),
  sale_id       TEXT NOT NULL REFERENCES sale (id),
  kind          TEXT NOT NULL CHECK (kind IN ('payment', 'refund')),
  -- For a refund: the payment whose card receives the money, and the return.
  original      TEXT REFERENCES card_transaction (reference),
  return_id     TEXT REFERENCES sale_return (id),
  amount_cents  INTEGER NOT NULL CHECK (amount_cents > 0),
  state         TEXT NOT NULL CHECK (state IN ('asked', 'unknown', 'approved', 'declined', 'cancelled')),
  -- Reason of a decline, source of a cancellation, or cause of an unknown outcome.
  reason        TEXT,
  -- The card terminal's approval: amount, approval code, its own reference, and card data that a receipt may show.
  approval      TEXT CHECK (json_valid(approval)),
  asked_at      INTEGER NOT NULL,
  settled_at    INTEGER,
  -- Person who recorded the outcome because the card terminal does not report it, or who refunded in another form.
  resolved_by   TEXT REFERENCES staff (id),
  note          TEXT,
  CHECK ((kind = 'refund') = (original IS NOT NULL)),
  CHECK (kind = 'refund' OR return_id IS NULL),
  CHECK ((state = 'approved') = (approval IS NOT NULL)),
  CHECK ((state IN ('asked', 'unknown')) = (settled_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX card_transaction_of_sale ON card_transaction (sale_id, asked_at);
CREATE INDEX card_transaction_of_payment ON card_transaction (original) WHERE original IS NOT NULL;
CREATE UNIQUE INDEX card_payment_one_at_a_time ON card_transaction (sale_id)
  WHERE kind = 'payment' AND state IN ('asked', 'unknown');
CREATE INDEX card_transaction_unsettled ON card_transaction (state) WHERE state IN ('asked', 'unknown');
CREATE INDEX card_refund_refused ON card_transaction (asked_at)
  WHERE kind = 'refund' AND state IN ('declined', 'cancelled') AND resolved_by IS NULL;
CREATE INDEX card_refund_in_part ON card_transaction (asked_at)
  WHERE kind = 'refund' AND state = 'approved' AND resolved_by IS NULL
  AND json_extract(approval, '$.amountCents') < amount_cents;
CREATE TRIGGER card_transaction_keeps
  BEFORE UPDATE OF reference, sale_id, kind, original, return_id, amount_cents, asked_at ON card_transaction
BEGIN SELECT RAISE(ABORT, 'a request to the card terminal stays as it was sent'); END;
CREATE TRIGGER card_transaction_settles BEFORE UPDATE OF state ON card_transaction
  WHEN NEW.state = 'asked' OR OLD.state NOT IN ('asked', 'unknown')
BEGIN SELECT RAISE(ABORT, 'a card transaction is settled once'); END;
CREATE TRIGGER card_transaction_stays BEFORE DELETE ON card_transaction
BEGIN SELECT RAISE(ABORT, 'a request to the card terminal stays'); END;
CREATE TRIGGER card_transaction_is_new BEFORE INSERT ON card_transaction
  WHEN NEW.state <> 'asked' OR EXISTS (SELECT 1 FROM card_transaction WHERE reference = NEW.reference)
BEGIN SELECT RAISE(ABORT, 'a reference is used once'); END;
-- The refunds of a payment never exceed the payment.
CREATE TRIGGER card_refund_was_paid BEFORE INSERT ON card_transaction
  WHEN NEW.kind = 'refund' AND NEW.amount_cents
  + (SELECT coalesce(sum(amount_cents), 0) FROM card_transaction WHERE original = NEW.original)
  > coalesce((SELECT json_extract(approval, '$.amountCents') FROM card_transaction
  WHERE reference = NEW.original AND kind = 'payment' AND sale_id = NEW.sale_id AND state = 'approved'), 0)
BEGIN SELECT RAISE(ABORT, 'more goes back to the card than it paid'); END;

-- Redeemed miles can be given back only until 03:00 on the next day (specification 3 §4.5), and no one watches a sale
-- on hold. A sale with a payment, or with a redemption that may have succeeded, cannot be put on hold. A sale whose
-- payments were all given back can be put on hold.
CREATE TRIGGER sale_held_owes_nothing BEFORE UPDATE OF held_at ON sale
WHEN NEW.held_at IS NOT NULL AND (
  EXISTS (SELECT 1 FROM tender WHERE sale_id = NEW.id AND takes_back IS NULL
    AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = tender.sale_id
      AND back.takes_back = tender.number))
  OR EXISTS (SELECT 1 FROM operation WHERE sale_id = NEW.id AND kind = 'redemption'
    AND state NOT IN ('declined', 'reversed')))
BEGIN SELECT RAISE(ABORT, 'a sale that was paid on is not put on hold'); END;
CREATE TRIGGER sale_held_takes_no_tender BEFORE INSERT ON tender
WHEN (SELECT held_at FROM sale WHERE id = NEW.sale_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a sale on hold takes no payment'); END;


-- Returns and refunds -------------------------------------------------------------------------------------------------

CREATE TABLE sale_return (
  id             TEXT PRIMARY KEY,           -- checkoutTransactionId of the RETURN call, and barcode of the receipt
  sequence       INTEGER NOT NULL UNIQUE,    -- sales and returns of a lane share one sequence
  sale_id        TEXT REFERENCES sale (id),  -- NULL: return without a record, or of another lane's sale (store_return)
  lane           TEXT NOT NULL,
  cashier_id     TEXT NOT NULL REFERENCES staff (id),
  approved_by    TEXT REFERENCES staff (id),
  reason         TEXT,
  at             INTEGER NOT NULL,
  subtotal_cents INTEGER NOT NULL CHECK (subtotal_cents >= 0),
  taxes          TEXT NOT NULL CHECK (json_valid(taxes)),
  total_cents    INTEGER NOT NULL CHECK (total_cents >= 0),
  shift_id       INTEGER NOT NULL REFERENCES shift (id),
  CHECK (sale_id IS NOT NULL OR (approved_by IS NOT NULL AND reason IS NOT NULL))
) STRICT;
CREATE INDEX sale_return_of_shift ON sale_return (shift_id);
CREATE TRIGGER sale_return_enters_open_shift BEFORE INSERT ON sale_return
  WHEN (SELECT counted_at FROM shift WHERE id = NEW.shift_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'nothing is written into a shift that was counted'); END;
CREATE INDEX sale_return_by_sale ON sale_return (sale_id, sequence);
CREATE INDEX sale_return_newest ON sale_return (lane, at, sequence);
CREATE INDEX sale_return_by_end_of_id ON sale_return (substr(id, -4));
CREATE TRIGGER sale_return_keeps BEFORE UPDATE ON sale_return
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER sale_return_stays BEFORE DELETE ON sale_return
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER sale_return_is_new BEFORE INSERT ON sale_return
  WHEN EXISTS (SELECT 1 FROM sale_return WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;

-- Lines with the price and taxes of the sale; without a record, those of the catalog at the time of the return.
CREATE TABLE return_line (
  return_id        TEXT NOT NULL REFERENCES sale_return (id),
  number           INTEGER NOT NULL CHECK (number > 0),
  sale_line_number INTEGER,  -- NULL: return without a record
  sku              TEXT NOT NULL,
  names            TEXT NOT NULL CHECK (json_valid(names)),
  quantity         INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  unit_price_cents INTEGER NOT NULL,
  -- Discount on these pieces at the sale; the refund is the amount that was paid.
  discount_cents   INTEGER NOT NULL DEFAULT 0 CHECK (discount_cents BETWEEN 0 AND quantity * unit_price_cents),
  tax_category     TEXT NOT NULL CHECK (tax_category IN ('standard', 'book', 'children-wear', 'diapers', 'federal-only',
    'zero-rated')),
  department_id    TEXT NOT NULL,
  category_id      TEXT,
  PRIMARY KEY (return_id, number)
) STRICT, WITHOUT ROWID;
-- The returned quantity of a line never exceeds the sold quantity. A return without a record has no line to compare.
CREATE TRIGGER return_line_was_sold BEFORE INSERT ON return_line
WHEN (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'more is returned than was sold') WHERE
    NEW.quantity + (SELECT coalesce(sum(earlier.quantity), 0) FROM sale_return AS mine
      JOIN sale_return AS other ON other.sale_id = mine.sale_id
        JOIN return_line AS earlier ON earlier.return_id = other.id
      WHERE mine.id = NEW.return_id AND earlier.sale_line_number = NEW.sale_line_number)
    > coalesce((SELECT sold.quantity FROM sale_return AS mine JOIN sale ON sale.id = mine.sale_id
      JOIN sale_line AS sold ON sold.sale_id = sale.id
      WHERE mine.id = NEW.return_id AND sale.state = 'completed' AND sold.number = NEW.sale_line_number
        AND sold.voided = 0), 0);
END;
CREATE TRIGGER return_line_keeps BEFORE UPDATE ON return_line
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER return_line_stays BEFORE DELETE ON return_line
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;
CREATE TRIGGER return_line_is_new BEFORE INSERT ON return_line
  WHEN EXISTS (SELECT 1 FROM return_line WHERE return_id = NEW.return_id AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'a return is written once'); END;

-- Form of each refund, and the kind of payment that it refunds. Store credit can refund any payment. The customer
-- receives amount_cents + rounding_cents in cash.
CREATE TABLE refund (
  return_id      TEXT NOT NULL REFERENCES sale_return (id),
  number         INTEGER NOT NULL CHECK (number > 0),
  kind           TEXT NOT NULL CHECK (kind <> ''),
  -- Kind of the refunded tenders; 'voucher': all vouchers; NULL: return without a record.
  paid_by        TEXT CHECK (paid_by <> ''),
  amount_cents   INTEGER NOT NULL CHECK (amount_cents > 0),
  rounding_cents INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 4),
  -- Card slip or confirmation number; for a voucher its last four characters, never its code.
  reference      TEXT,
  operation_id   TEXT UNIQUE REFERENCES operation (id),  -- for miles: the reversed redemption
  voucher_id     TEXT REFERENCES voucher (id),           -- for store credit: the issued voucher
  PRIMARY KEY (return_id, number),
  CHECK (kind = 'store-credit' OR paid_by = kind),
  CHECK (kind = 'cash' OR rounding_cents = 0),
  CHECK (kind <> 'cash' OR (amount_cents + rounding_cents) % 5 = 0),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL)),
  CHECK ((kind = 'store-credit') = (voucher_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- Limits: refunds of one kind of payment never exceed its payments; all refunds together never exceed all payments;
-- cash refunds never exceed the cash taken. Example: a sale of $22.62 paid with $22.60 in cash gives back $22.62 in
-- store credit or $22.60 in cash. A return without a record gives only store credit, because its payments are unknown.
CREATE TRIGGER refund_was_paid BEFORE INSERT ON refund
BEGIN
  SELECT RAISE(ABORT, 'without a record only store credit goes back')
    WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NULL
    AND (NEW.kind <> 'store-credit' OR NEW.paid_by IS NOT NULL);
  SELECT RAISE(ABORT, 'it is not said what had paid')
    WHERE (SELECT sale_id FROM sale_return WHERE id = NEW.return_id) IS NOT NULL AND NEW.paid_by IS NULL;
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id
    AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents
      + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other
        JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id
        AND earlier.paid_by = NEW.paid_by)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id AND CASE
        WHEN voucher_id IS NOT NULL THEN 'voucher' ELSE kind END = NEW.paid_by);
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id
    AND mine.sale_id IS NOT NULL AND NEW.kind = 'cash' AND
    NEW.amount_cents + NEW.rounding_cents
      + (SELECT coalesce(sum(earlier.amount_cents + earlier.rounding_cents), 0) FROM sale_return AS other
        JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id
        AND earlier.kind = 'cash')
      > (SELECT coalesce(sum(amount_cents + rounding_cents), 0) FROM tender WHERE sale_id = mine.sale_id
        AND kind = 'cash');
  SELECT RAISE(ABORT, 'more goes back than was paid') FROM sale_return AS mine WHERE mine.id = NEW.return_id
    AND mine.sale_id IS NOT NULL AND
    NEW.amount_cents + (SELECT coalesce(sum(earlier.amount_cents), 0) FROM sale_return AS other
      JOIN refund AS earlier ON earlier.return_id = other.id WHERE other.sale_id = mine.sale_id)
      > (SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = mine.sale_id);
END;
CREATE TRIGGER refund_keeps BEFORE UPDATE ON refund BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER refund_stays BEFORE DELETE ON refund BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;
CREATE TRIGGER refund_is_new BEFORE INSERT ON refund
  WHEN EXISTS (SELECT 1 FROM refund WHERE (return_id = NEW.return_id AND number = NEW.number)
  OR operation_id = NEW.operation_id)
BEGIN SELECT RAISE(ABORT, 'a refund is written once'); END;


-- Vouchers ------------------------------------------------------------------------------------------------------------

CREATE TABLE voucher (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind <> ''),
  code_hash   BLOB NOT NULL UNIQUE,  -- keyed hash, to find a presented code
  code_sealed BLOB NOT NULL,         -- encrypted code, to print the voucher and to look it up at the store server
  last4       TEXT NOT NULL CHECK (length(last4) = 4),
  issued_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER voucher_keeps BEFORE UPDATE ON voucher BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_stays BEFORE DELETE ON voucher BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_is_new BEFORE INSERT ON voucher
  WHEN EXISTS (SELECT 1 FROM voucher WHERE id = NEW.id OR code_hash = NEW.code_hash)
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;

-- The value of a voucher is the sum of its entries.
CREATE TABLE voucher_entry (
  id               INTEGER PRIMARY KEY,
  voucher_id       TEXT NOT NULL REFERENCES voucher (id),
  at               INTEGER NOT NULL,
  kind             TEXT NOT NULL CHECK (kind IN ('issued', 'redeemed', 'given-back')),
  amount_cents     INTEGER NOT NULL CHECK (amount_cents > 0),
  return_id        TEXT REFERENCES sale_return (id),  -- return for which the voucher was issued
  operation_id     TEXT REFERENCES operation (id),    -- redemption too late to reverse: the voucher was issued for it
  sale_id          TEXT REFERENCES sale (id),         -- sale that sold, redeemed or got back value, or caused the issue
  sale_line_number INTEGER,                           -- line that sold the voucher
  CHECK ((kind = 'issued') = (return_id IS NOT NULL OR sale_line_number IS NOT NULL OR operation_id IS NOT NULL)),
  CHECK ((return_id IS NULL) = (sale_id IS NOT NULL)),
  CHECK (operation_id IS NULL OR sale_line_number IS NULL)
) STRICT;
CREATE INDEX voucher_entry_by_voucher ON voucher_entry (voucher_id);
CREATE INDEX voucher_entry_by_return ON voucher_entry (return_id) WHERE return_id IS NOT NULL;
CREATE UNIQUE INDEX voucher_once_per_reversal ON voucher_entry (operation_id) WHERE operation_id IS NOT NULL;
CREATE UNIQUE INDEX voucher_once_per_line ON voucher_entry (sale_id, sale_line_number)
  WHERE sale_line_number IS NOT NULL;
CREATE INDEX voucher_issued_for_sale ON voucher_entry (sale_id) WHERE kind = 'issued' AND operation_id IS NOT NULL
  AND sale_id IS NOT NULL;
-- Concurrent payments never overdraw a voucher. A sale gives back to a voucher at most what it redeemed.
CREATE TRIGGER voucher_covers BEFORE INSERT ON voucher_entry
WHEN NEW.kind = 'redeemed'
  AND NEW.amount_cents > (SELECT coalesce(sum(CASE kind WHEN 'redeemed' THEN -amount_cents ELSE amount_cents END), 0)
  FROM voucher_entry WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher holds'); END;
CREATE TRIGGER voucher_gives_back_what_it_paid BEFORE INSERT ON voucher_entry
WHEN NEW.kind = 'given-back'
  AND NEW.amount_cents > (SELECT coalesce(sum(CASE kind WHEN 'redeemed' THEN amount_cents
  WHEN 'given-back' THEN -amount_cents ELSE 0 END), 0) FROM voucher_entry WHERE voucher_id = NEW.voucher_id
  AND sale_id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'more than the voucher paid'); END;
-- A second issue would create money. A reversal that came too late issues a new voucher.
CREATE TRIGGER voucher_is_issued_once BEFORE INSERT ON voucher_entry WHEN NEW.kind = 'issued'
  AND EXISTS (SELECT 1 FROM voucher_entry WHERE voucher_id = NEW.voucher_id)
BEGIN SELECT RAISE(ABORT, 'a voucher is issued once'); END;
CREATE TRIGGER voucher_entry_keeps BEFORE UPDATE ON voucher_entry
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_entry_stays BEFORE DELETE ON voucher_entry
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_entry_is_new BEFORE INSERT ON voucher_entry
  WHEN EXISTS (SELECT 1 FROM voucher_entry WHERE id = NEW.id
  OR (operation_id IS NOT NULL AND operation_id = NEW.operation_id))
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;

-- Gift card on a line of a sale: worth nothing until the sale is completed. A card without its own code gets one then.
CREATE TABLE sale_gift_card (
  sale_id     TEXT NOT NULL,
  line_number INTEGER NOT NULL,
  code_hash   BLOB,
  code_sealed BLOB,
  PRIMARY KEY (sale_id, line_number),
  FOREIGN KEY (sale_id, line_number) REFERENCES sale_line (sale_id, number),
  CHECK ((code_hash IS NULL) = (code_sealed IS NULL))
) STRICT, WITHOUT ROWID;


-- Epochs --------------------------------------------------------------------------------------------------------------

-- A restore begins a new epoch. Its numbers continue after all numbers of the replaced database, so that no printed or
-- sent number is used again. The first epoch, from the installation, has no row.
CREATE TABLE lane_epoch (
  number         INTEGER PRIMARY KEY CHECK (number > 1),
  at             INTEGER NOT NULL,
  backup         TEXT NOT NULL,
  -- First numbers of the epoch: sales and returns, Z reports, shifts, cash movements.
  first_sequence INTEGER NOT NULL CHECK (first_sequence > 0),
  first_z        INTEGER NOT NULL CHECK (first_z > 0),
  first_shift    INTEGER NOT NULL CHECK (first_shift > 0),
  first_movement INTEGER NOT NULL CHECK (first_movement > 0)
) STRICT;
CREATE TRIGGER lane_epoch_keeps BEFORE UPDATE ON lane_epoch
BEGIN SELECT RAISE(ABORT, 'an epoch is written once'); END;
CREATE TRIGGER lane_epoch_stays BEFORE DELETE ON lane_epoch
BEGIN SELECT RAISE(ABORT, 'an epoch is written once'); END;
CREATE TRIGGER lane_epoch_follows BEFORE INSERT ON lane_epoch
  WHEN NEW.number <= (SELECT coalesce(max(number), 1) FROM lane_epoch)
BEGIN SELECT RAISE(ABORT, 'an epoch is written once'); END;


-- Shifts, counts and Z reports ----------------------------------------------------------------------------------------

-- A Z report closes the day of the lane. The program computes it once from its shifts; it never changes.
CREATE TABLE z_report (
  number      INTEGER PRIMARY KEY CHECK (number > 0),  -- without a gap within an epoch: see z_report_follows
  lane        TEXT NOT NULL,
  at          INTEGER NOT NULL,
  staff_id    TEXT NOT NULL REFERENCES staff (id),
  -- Newest entries of the audit trail and the journal in this Z report, which covers all entries since the previous
  -- one.
  last_audit  INTEGER NOT NULL,
  last_entry  INTEGER NOT NULL,
  report      TEXT NOT NULL CHECK (json_valid(report))
) STRICT;
CREATE TRIGGER z_report_follows BEFORE INSERT ON z_report
  WHEN NEW.number <> max((SELECT coalesce(max(number), 0) FROM z_report) + 1,
  (SELECT coalesce(max(first_z), 1) FROM lane_epoch))
BEGIN SELECT RAISE(ABORT, 'Z reports are numbered without a gap'); END;
CREATE TRIGGER z_report_keeps BEFORE UPDATE ON z_report BEGIN SELECT RAISE(ABORT, 'a Z is written once'); END;
CREATE TRIGGER z_report_stays BEFORE DELETE ON z_report BEGIN SELECT RAISE(ABORT, 'a Z is written once'); END;

-- Custody of a drawer: open, then counted (accepts no more movements), closed, and included in a Z report.
CREATE TABLE shift (
  id          INTEGER PRIMARY KEY,
  lane        TEXT NOT NULL,
  drawer_of   TEXT REFERENCES staff (id),     -- owner of a personal drawer; NULL: the lane's drawer
  opened_at   INTEGER NOT NULL,
  opened_by   TEXT NOT NULL REFERENCES staff (id),
  float_cents INTEGER NOT NULL CHECK (float_cents >= 0),
  -- Count of the float. NULL: the shift opened automatically with the cash that the previous shift left.
  float_count TEXT CHECK (json_valid(float_count)),
  counted_at  INTEGER,
  closed_at   INTEGER,
  closed_by   TEXT REFERENCES staff (id),
  -- Expected and counted amounts, over or short, reason, and cash left in the drawer.
  closing     TEXT CHECK (json_valid(closing)),
  z_number    INTEGER REFERENCES z_report (number),
  CHECK (closed_at IS NULL OR counted_at IS NOT NULL),
  CHECK ((closed_at IS NULL) = (closing IS NULL) AND (closed_at IS NULL) = (closed_by IS NULL)),
  CHECK (z_number IS NULL OR closed_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX shift_one_open ON shift (lane, coalesce(drawer_of, '')) WHERE counted_at IS NULL;
CREATE INDEX shift_without_z ON shift (lane) WHERE z_number IS NULL;
CREATE INDEX shift_of_z ON shift (z_number) WHERE z_number IS NOT NULL;
CREATE TRIGGER shift_keeps BEFORE UPDATE ON shift
  WHEN NEW.id <> OLD.id OR NEW.lane <> OLD.lane OR NEW.drawer_of IS NOT OLD.drawer_of OR NEW.opened_at <> OLD.opened_at
    OR NEW.opened_by <> OLD.opened_by OR NEW.float_cents <> OLD.float_cents
    OR NEW.float_count IS NOT OLD.float_count
    OR (OLD.counted_at IS NOT NULL AND NEW.counted_at IS NOT OLD.counted_at)
    OR (OLD.closed_at IS NOT NULL AND (NEW.closed_at IS NOT OLD.closed_at OR NEW.closed_by IS NOT OLD.closed_by
      OR NEW.closing IS NOT OLD.closing))
    OR (OLD.z_number IS NOT NULL AND NEW.z_number IS NOT OLD.z_number)
BEGIN SELECT RAISE(ABORT, 'what is closed stays as it was closed'); END;
CREATE TRIGGER shift_stays BEFORE DELETE ON shift BEGIN SELECT RAISE(ABORT, 'a shift is never deleted'); END;

-- Blind counts of a shift: the first one, and an optional second one.
CREATE TABLE shift_count (
  shift_id INTEGER NOT NULL REFERENCES shift (id),
  number   INTEGER NOT NULL CHECK (number IN (1, 2)),
  at       INTEGER NOT NULL,
  staff_id TEXT NOT NULL REFERENCES staff (id),
  count    TEXT NOT NULL CHECK (json_valid(count)),
  -- Tolerance at the time of the count: a later change of the setting does not reopen the count.
  tolerated_cents INTEGER NOT NULL CHECK (tolerated_cents >= 0),
  PRIMARY KEY (shift_id, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER shift_count_keeps BEFORE UPDATE ON shift_count BEGIN SELECT RAISE(ABORT, 'a count is written once'); END;
CREATE TRIGGER shift_count_stays BEFORE DELETE ON shift_count BEGIN SELECT RAISE(ABORT, 'a count is written once'); END;
CREATE TRIGGER shift_count_is_new BEFORE INSERT ON shift_count
  WHEN EXISTS (SELECT 1 FROM shift_count WHERE shift_id = NEW.shift_id AND number = NEW.number)
  OR (SELECT closed_at FROM shift WHERE id = NEW.shift_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a count is written once'); END;

-- Cash added or removed outside of sales, and openings of the drawer without a sale.
CREATE TABLE cash_movement (
  id           INTEGER PRIMARY KEY,
  shift_id     INTEGER NOT NULL REFERENCES shift (id),
  kind         TEXT NOT NULL CHECK (kind <> ''),
  amount_cents INTEGER NOT NULL,               -- change of the cash in the drawer; negative: cash out
  at           INTEGER NOT NULL,
  staff_id     TEXT NOT NULL REFERENCES staff (id),
  approved_by  TEXT REFERENCES staff (id),
  reason       TEXT CHECK (length(reason) BETWEEN 1 AND 120),
  CHECK ((kind = 'no-sale') = (amount_cents = 0))
) STRICT;
CREATE INDEX cash_movement_of_shift ON cash_movement (shift_id);
CREATE TRIGGER cash_movement_enters_open_shift BEFORE INSERT ON cash_movement
  WHEN (SELECT counted_at FROM shift WHERE id = NEW.shift_id) IS NOT NULL
  OR EXISTS (SELECT 1 FROM cash_movement WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'nothing is written into a shift that was counted'); END;
CREATE TRIGGER cash_movement_keeps BEFORE UPDATE ON cash_movement
BEGIN SELECT RAISE(ABORT, 'a cash movement is written once'); END;
CREATE TRIGGER cash_movement_stays BEFORE DELETE ON cash_movement
BEGIN SELECT RAISE(ABORT, 'a cash movement is written once'); END;


-- Search of the electronic journal ------------------------------------------------------------------------------------

-- Closed records that the search does not contain yet. A sale's commit adds one short row; the program indexes a few
-- rows at a time afterwards, so that no sale waits for the index.
CREATE TABLE search_waiting (
  id   INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('sale', 'return', 'movement')),
  ref  INTEGER NOT NULL  -- sequence of the sale or return, id of the cash movement
) STRICT;
CREATE TRIGGER search_waits_for_sale AFTER UPDATE OF state ON sale WHEN NEW.state <> 'open' AND OLD.state = 'open'
BEGIN INSERT INTO search_waiting (kind, ref) VALUES ('sale', NEW.sequence); END;
CREATE TRIGGER search_waits_for_return AFTER INSERT ON sale_return
BEGIN INSERT INTO search_waiting (kind, ref) VALUES ('return', NEW.sequence); END;
CREATE TRIGGER search_waits_for_movement AFTER INSERT ON cash_movement
BEGIN INSERT INTO search_waiting (kind, ref) VALUES ('movement', NEW.id); END;

-- Ids are in order of time, as every list is: time in seconds times 64, plus a number within the second. Close ids keep
-- the lists of the index short.
CREATE TABLE search_entry (
  id   INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('sale', 'return', 'movement')),
  ref  INTEGER NOT NULL
) STRICT;
-- Contains, under the id of the search_entry, the terms of its items, amounts, people and numbers, each with a letter
-- for its type as prefix. Prefix indexes let a search for a frequent term read only the newest entries.
CREATE VIRTUAL TABLE search_words USING fts5 (words, content = '', columnsize = 0, detail = none,
  prefix = '4 5 6 7 8 9',
  tokenize = "unicode61 remove_diacritics 0 tokenchars '-'");


-- Journal and outbox of the calls that move miles ---------------------------------------------------------------------

-- An operation is a redemption with its reversal, an issuance call, or an offer change. Its row contains the newest
-- state; `journal_entry` contains all transitions and is append-only.
CREATE TABLE operation (
  id                  TEXT PRIMARY KEY,
  -- State machine of the operation.
  kind                TEXT NOT NULL CHECK (kind IN ('redemption', 'issuance', 'offer-state')),
  -- Purpose of the operation.
  type           TEXT NOT NULL CHECK (type IN ('redeem', 'issue', 'return', 'record', 'post', 'post-event',
    'post-reverse', 'reverse-event', 'offer-state')),
  -- Id of the sale or return of the operation: see operation_belongs.
  sale_id             TEXT NOT NULL,
  collector_hash      BLOB NOT NULL,
  state               TEXT NOT NULL CHECK (
    (kind = 'redemption'
      AND state IN ('intent', 'retry', 'approved', 'declined', 'escalated', 'reversing', 'reversed', 'reversal-expired',
      'reversal-escalated'))
    OR (kind = 'issuance' AND state IN ('queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated'))
    OR (kind = 'offer-state' AND state IN ('queued', 'sent', 'confirmed', 'refused', 'lapsed'))),
  -- 1: not final, the program continues the operation. A separate column, because SQLite updates a partial index with
  -- each change of a column in its condition, and most transitions do not change this column.
  open                INTEGER NOT NULL CHECK (open = (state IN ('intent', 'retry', 'reversing', 'queued', 'sent'))),
  created_at          INTEGER NOT NULL,
  changed_at          INTEGER NOT NULL,
  -- Operation that must be final first: the ISSUE of a RETURN, the POST of a REVERSE.
  after_operation_id  TEXT REFERENCES operation (id),
  corrects_id         TEXT REFERENCES operation (id),  -- rejected operation of which this one is the corrected copy
  sends               INTEGER NOT NULL DEFAULT 0,      -- number of times that the newest call was sent
  first_sent_at       INTEGER,
  next_attempt_at     INTEGER,
  failures            INTEGER NOT NULL DEFAULT 0,
  -- Number of 400 answers without a code of specification 3 §7.1; such a call can be retried a limited number of times.
  refusals            INTEGER NOT NULL DEFAULT 0,
  approved_on_attempt INTEGER,
  units               INTEGER,
  amount_cents        INTEGER,
  -- Miles of an answered issuance: confirmed, pending, rejected. Negative: miles taken back. NULL: the answer contained
  -- no number.
  miles               INTEGER,
  pending_miles       INTEGER,
  rejected_miles      INTEGER,
  confirmation_number TEXT,
  trans_date_time     TEXT,
  transaction_id      TEXT,
  response_code       TEXT,
  outcome             TEXT,
  detail              TEXT,
  newest_entry        INTEGER NOT NULL,                -- start of the linked list of its entries, which needs no index
  digest              BLOB NOT NULL                    -- keyed digest of the row after its newest entry
) STRICT;
CREATE INDEX operation_by_sale ON operation (sale_id, kind);
CREATE INDEX operation_open ON operation (collector_hash) WHERE open = 1;
CREATE INDEX operation_attention ON operation (changed_at)
  WHERE state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated');
-- Issuances that the program accepted with a code, and whose miles are not posted yet.
CREATE INDEX operation_accepted ON operation (changed_at) WHERE state = 'accepted';
CREATE INDEX operation_reconciliation ON operation (created_at) WHERE approved_on_attempt > 1;
CREATE UNIQUE INDEX operation_corrected_once ON operation (corrects_id) WHERE corrects_id IS NOT NULL;
-- An operation can belong to a return without a record: RECORD reports these too (specification 3 §4.3).
CREATE TRIGGER operation_belongs BEFORE INSERT ON operation
WHEN NOT EXISTS (SELECT 1 FROM sale WHERE id = NEW.sale_id)
  AND NOT EXISTS (SELECT 1 FROM sale_return WHERE id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed: an operation belongs to a sale or a return'); END;

-- Exact bytes of each call, stored before the call is sent. Sealed, because they contain a collector number.
CREATE TABLE operation_call (
  operation_id    TEXT NOT NULL REFERENCES operation (id),
  purpose         TEXT NOT NULL CHECK (purpose IN ('redeem', 'reverse', 'issue', 'return', 'record', 'post',
    'post-event', 'post-reverse', 'reverse-event', 'offer-state')),
  path            TEXT NOT NULL,
  idempotency_key TEXT UNIQUE
    -- These two calls have no key (specification 3 §4.3, 1 §4.4).
    CHECK ((idempotency_key IS NULL) = (purpose IN ('record', 'offer-state'))),
  trace_id        TEXT NOT NULL,
  date_time       TEXT NOT NULL,
  request_sealed  BLOB NOT NULL,
  request_sha256  BLOB NOT NULL,
  PRIMARY KEY (operation_id, purpose)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_call_is_frozen BEFORE UPDATE ON operation_call
BEGIN SELECT RAISE(ABORT, 'a call never changes'); END;
CREATE TRIGGER operation_call_is_new BEFORE INSERT ON operation_call
  WHEN EXISTS (SELECT 1 FROM operation_call WHERE (operation_id = NEW.operation_id AND purpose = NEW.purpose)
  OR idempotency_key = NEW.idempotency_key)
BEGIN SELECT RAISE(ABORT, 'a call is stored once'); END;
CREATE TRIGGER operation_call_stays BEFORE DELETE ON operation_call
BEGIN SELECT RAISE(ABORT, 'a call is never deleted'); END;

-- Request that needs a value from an earlier answer: a REVERSE contains the transactionId of its POST (specification 3
-- §4.4). The transition that sends the request inserts it into `operation_call`.
CREATE TABLE operation_draft (
  operation_id   TEXT PRIMARY KEY REFERENCES operation (id),
  path           TEXT NOT NULL,
  trace_id       TEXT NOT NULL,
  date_time      TEXT NOT NULL,
  request_sealed BLOB NOT NULL,
  request_sha256 BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_draft_is_frozen BEFORE UPDATE ON operation_draft
BEGIN SELECT RAISE(ABORT, 'a draft never changes'); END;
CREATE TRIGGER operation_draft_stays BEFORE DELETE ON operation_draft
BEGIN SELECT RAISE(ABORT, 'a draft is never deleted'); END;

-- All transitions of all operations. Each entry contains a keyed hash of itself and the previous entry.
CREATE TABLE journal_entry (
  seq                   INTEGER PRIMARY KEY,
  operation_id          TEXT NOT NULL REFERENCES operation (id),
  at                    INTEGER NOT NULL,
  from_state            TEXT,
  to_state              TEXT NOT NULL,
  detail                TEXT NOT NULL CHECK (json_valid(detail)),
  previous_of_operation INTEGER,
  previous_hash         BLOB NOT NULL,
  hash                  BLOB NOT NULL
) STRICT;
CREATE TRIGGER journal_entry_is_append_only_update BEFORE UPDATE ON journal_entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_entry_is_append_only_insert BEFORE INSERT ON journal_entry
  WHEN NEW.seq <= (SELECT coalesce(max(seq), 0) FROM journal_entry)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_entry_is_append_only_delete BEFORE DELETE ON journal_entry
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

-- Result of a person's investigation of an operation that the program stopped retrying. Removes the operation from the
-- manager's list and does not change its state.
CREATE TABLE operation_resolution (
  operation_id TEXT PRIMARY KEY REFERENCES operation (id),
  at           INTEGER NOT NULL,
  staff_id     TEXT NOT NULL REFERENCES staff (id),
  found        TEXT NOT NULL CHECK (found IN ('not-at-central', 'settled-with-operator', 'corrected', 'nothing-to-do')),
  note         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_resolution_keeps BEFORE UPDATE ON operation_resolution
BEGIN SELECT RAISE(ABORT, 'a resolution is written once'); END;
CREATE TRIGGER operation_resolution_stays BEFORE DELETE ON operation_resolution
BEGIN SELECT RAISE(ABORT, 'a resolution is written once'); END;

-- Code of a 202 answer that the store must correct. The manager sees one notice for each code and subject, until an
-- issuance succeeds or the manager closes the notice.
CREATE TABLE issuance_notice (
  id                  INTEGER PRIMARY KEY,
  code                TEXT NOT NULL,
  -- Object of the code: a location, an offer code, a sponsor code, or an empty text.
  subject             TEXT NOT NULL,
  first_at            INTEGER NOT NULL,
  last_at             INTEGER NOT NULL,
  times               INTEGER NOT NULL CHECK (times > 0),
  newest_operation_id TEXT NOT NULL REFERENCES operation (id),
  ended_at            INTEGER,
  ended_by            TEXT REFERENCES staff (id),  -- NULL: open, or ended by an issuance
  note                TEXT,
  CHECK (ended_at IS NOT NULL OR (ended_by IS NULL AND note IS NULL)),
  CHECK ((ended_by IS NULL) = (note IS NULL))
) STRICT;
CREATE UNIQUE INDEX issuance_notice_standing ON issuance_notice (code, subject) WHERE ended_at IS NULL;

-- Reconciliation report of a business day for the service operator. The terminal creates the original automatically.
CREATE TABLE reconciliation_export (
  id           INTEGER PRIMARY KEY,
  business_day TEXT NOT NULL,
  at           INTEGER NOT NULL,
  staff_id     TEXT REFERENCES staff (id),          -- NULL: the terminal
  copy         INTEGER NOT NULL CHECK (copy >= 0),  -- 0: the original
  rows         INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  miles        INTEGER NOT NULL,
  -- Hash of the exported rows, to distinguish a copy from a changed report.
  sha256       BLOB NOT NULL,
  -- The report; only for an original.
  report       TEXT CHECK (json_valid(report)),
  CHECK ((copy = 0) = (report IS NOT NULL)),
  CHECK (staff_id IS NOT NULL OR copy = 0),
  UNIQUE (business_day, copy)
) STRICT;
CREATE TRIGGER reconciliation_export_keeps BEFORE UPDATE ON reconciliation_export
BEGIN SELECT RAISE(ABORT, 'an export is written once'); END;
CREATE TRIGGER reconciliation_export_stays BEFORE DELETE ON reconciliation_export
BEGIN SELECT RAISE(ABORT, 'an export is written once'); END;
-- Confirmation that an original was sent to the service operator.
CREATE TABLE reconciliation_sent (
  export_id INTEGER PRIMARY KEY REFERENCES reconciliation_export (id),
  at        INTEGER NOT NULL,
  staff_id  TEXT NOT NULL REFERENCES staff (id),
  note      TEXT NOT NULL CHECK (length(note) BETWEEN 3 AND 400)
) STRICT;
CREATE TRIGGER reconciliation_sent_keeps BEFORE UPDATE ON reconciliation_sent
BEGIN SELECT RAISE(ABORT, 'that a report was sent is written once'); END;
CREATE TRIGGER reconciliation_sent_stays BEFORE DELETE ON reconciliation_sent
BEGIN SELECT RAISE(ABORT, 'that a report was sent is written once'); END;
-- Reported approvals: each approval is in exactly one original.
CREATE TABLE reconciliation_row (
  operation_id TEXT PRIMARY KEY REFERENCES operation (id),
  export_id    INTEGER NOT NULL REFERENCES reconciliation_export (id)
) STRICT, WITHOUT ROWID;


-- Documents -----------------------------------------------------------------------------------------------------------

-- A print job belongs to a sale, a return, a voucher, another subject, or none. The document of a voucher contains no
-- code; the program inserts the code when it prints.
CREATE TABLE print_job (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind <> ''),
  sale_id     TEXT REFERENCES sale (id),
  return_id   TEXT REFERENCES sale_return (id),
  voucher_id  TEXT REFERENCES voucher (id),
  -- Id of the cash movement, shift, Z report, closing or other lane's sale.
  subject     TEXT,
  copy        INTEGER NOT NULL,  -- 0: the original
  document    TEXT NOT NULL CHECK (json_valid(document)),
  open_drawer INTEGER NOT NULL CHECK (open_drawer IN (0, 1)),
  state       TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'confirmed', 'unknown', 'failed')),
  -- Set before the first byte is sent to the printer, so that a restart never prints a started job again.
  started_at  INTEGER,
  created_at  INTEGER NOT NULL,
  detail      TEXT,
  CHECK ((sale_id IS NOT NULL) + (return_id IS NOT NULL) + (voucher_id IS NOT NULL) + (subject IS NOT NULL) <= 1),
  CHECK (kind NOT IN ('sale', 'gift', 'payment-back') OR sale_id IS NOT NULL),
  CHECK (kind <> 'return' OR return_id IS NOT NULL),
  CHECK (kind <> 'voucher' OR voucher_id IS NOT NULL)
) STRICT;
CREATE INDEX print_job_by_sale ON print_job (sale_id, created_at);
CREATE INDEX print_job_by_return ON print_job (return_id, created_at) WHERE return_id IS NOT NULL;
CREATE INDEX print_job_by_voucher ON print_job (voucher_id, created_at) WHERE voucher_id IS NOT NULL;
CREATE INDEX print_job_by_subject ON print_job (subject, created_at) WHERE subject IS NOT NULL;
CREATE INDEX print_job_open ON print_job (created_at) WHERE state = 'queued';
-- Documents that were not printed. The partial indexes keep their list and count independent of the number of sales.
CREATE INDEX print_job_in_doubt ON print_job (sale_id) WHERE state IN ('failed', 'unknown') AND kind = 'sale';
CREATE INDEX print_job_other_in_doubt ON print_job (return_id, voucher_id, subject, kind)
  WHERE state IN ('failed', 'unknown')
  AND kind IN ('return', 'voucher', 'cash-movement', 'shift', 'z-report', 'closing');


-- Audit trail ---------------------------------------------------------------------------------------------------------

-- Audit trail: append-only and numbered without a gap. Each entry contains a keyed hash of itself and the previous
-- entry.
CREATE TABLE audit_entry (
  id       INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  actor_id TEXT REFERENCES staff (id),  -- NULL: the terminal
  subject  TEXT,                        -- id of the affected person, sale or object
  detail   TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail)),
  hash     BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
-- One index for each list, newest entry first: all, by kind, by person and kind, by subject.
CREATE INDEX audit_entry_at ON audit_entry (at);
CREATE INDEX audit_entry_kind ON audit_entry (kind, at);
CREATE INDEX audit_entry_actor ON audit_entry (actor_id, kind, at) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entry_subject ON audit_entry (subject, at) WHERE subject IS NOT NULL;
CREATE TRIGGER audit_entry_keeps BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER audit_entry_follows BEFORE INSERT ON audit_entry
  WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM audit_entry)
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER audit_entry_stays BEFORE DELETE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;


-- The schema ----------------------------------------------------------------------------------------------------------

-- Programs that may open this database. One row, which the program writes with every migration. Programs of all
-- releases read this table, so its columns never change (docs/releases.md).
CREATE TABLE schema_mark (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  schema        INTEGER NOT NULL CHECK (schema > 0),                           -- same as PRAGMA user_version
  -- Oldest schema whose program may open and write this database.
  readable_from INTEGER NOT NULL CHECK (readable_from BETWEEN 1 AND schema),
  program       TEXT NOT NULL                                                  -- version that migrated the database
) STRICT;


-- Tamper evidence -----------------------------------------------------------------------------------------------------

-- Digests of the tables, sealed with a key outside this database, to detect changes by other programs. One row, which
-- the program writes in the transaction of the migration (backend/core/integrity).
CREATE TABLE tamper_evidence (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  counter   INTEGER NOT NULL CHECK (counter > 0),       -- incremented with each change of a covered row
  marked    INTEGER NOT NULL CHECK (marked IN (0, 1)),  -- 1: the mark outside the database was written
  -- Names of the tables without a digest. The previous release reads from here which newer tables have one.
  uncovered TEXT NOT NULL CHECK (json_valid(uncovered)),
  -- Digest of each table, sealed together with the columns above.
  state     BLOB NOT NULL
) STRICT;

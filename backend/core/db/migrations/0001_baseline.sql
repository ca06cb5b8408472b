-- readable from: 1
-- The lane's database, whole.
--
-- Money is integer cents, miles are whole miles, time is milliseconds since the Unix epoch, hashes are SHA-256; a
-- column that is measured otherwise says so. A name that people read is one JSON object of names by locale:
-- {"en-CA": "Milk", "fr-CA": "Lait"}. A third language is one more key.
--
-- What kind of tender, voucher or paper a row is, is a text that the program's registries know: no list of kinds stands
-- here, so that a new one changes no table. A CHECK that names a kind says what that kind alone must have.
--
-- What is written about money, miles and people stays as it was written. REPLACE deletes without asking a BEFORE DELETE
-- trigger: so an insert over a row is refused first, by the triggers named "is_new".


-- Staff and windows ---------------------------------------------------------------------------------------------------

CREATE TABLE staff (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  role          TEXT NOT NULL CHECK (role IN ('cashier', 'supervisor', 'manager')),
  locale        TEXT NOT NULL CHECK (locale GLOB '[a-z][a-z]-[A-Z][A-Z]'),
  pin_hash      TEXT,  -- keyed$N$r$p$salt$hash; NULL: no PIN was set yet
  pin_temporary INTEGER NOT NULL DEFAULT 0 CHECK (pin_temporary IN (0, 1)), -- set by another than its owner
  active        INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  -- keyed hash of the number on the badge; NULL: none. A deactivated one stays, so that it is told from an unknown one
  badge_hash    BLOB UNIQUE CHECK (length(badge_hash) = 32),
  badge_active  INTEGER NOT NULL DEFAULT 1 CHECK (badge_active IN (0, 1)),
  -- as the profile last named this person: what the lane changed since stands until the profile says something else;
  -- NULL: added at the lane, or no longer in the profile
  profile_entry TEXT CHECK (json_valid(profile_entry))
) STRICT;

-- Wrong PINs, counted for each place where one is typed. sign-in: whose PIN it was. approval-asker: who asked.
-- approval-approver: whose PIN it was.
CREATE TABLE pin_door (
  door                 TEXT NOT NULL CHECK (door IN ('sign-in', 'approval-asker', 'approval-approver')),
  staff_id             TEXT NOT NULL REFERENCES staff (id),
  failed               INTEGER NOT NULL DEFAULT 0,  -- since the count was last begun anew
  -- since the last good PIN at this door; each is longer than the one before
  lockouts             INTEGER NOT NULL DEFAULT 0,
  locked_ms            INTEGER,                     -- what was left of the lock when it was written; NULL: none
  -- the machine's uptime then; NULL: not known, nothing of the lock has passed
  written_at_uptime_ms INTEGER,
  PRIMARY KEY (door, staff_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE window_session (
  secret_hash  TEXT PRIMARY KEY,            -- of the cookie's secret, which a sign-in replaces
  window_id    TEXT NOT NULL UNIQUE,        -- stays from the opening to the end of the window; opens nothing
  opened_at    INTEGER NOT NULL,
  staff_id     TEXT REFERENCES staff (id),  -- NULL: nobody is signed in
  signed_in_at INTEGER
) STRICT;

-- What the windows asked for in the last day, by the key that each command carries: its effect is in the same
-- transaction.
CREATE TABLE command (
  -- in the order in which they came: keys are random, and answers are too long to stand in an index
  id          INTEGER PRIMARY KEY,
  key         TEXT NOT NULL UNIQUE,
  at          INTEGER NOT NULL,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),  -- of what was asked, under a key
  -- who asked, and alone is answered again: the window, and the person where it is for staff; NULL: neither was needed
  window_id   TEXT,
  staff_id    TEXT REFERENCES staff (id),
  answer      BLOB                                             -- sealed; NULL while the effect is on its way
) STRICT;
CREATE INDEX command_at ON command (at);

-- How loud each lane is. 0: no sound. A lane that has no row was never set.
CREATE TABLE lane_sound (
  lane   TEXT PRIMARY KEY,
  volume INTEGER NOT NULL CHECK (volume BETWEEN 0 AND 10)
) STRICT, WITHOUT ROWID;


-- What a manager set at the lane in the place of the profile's value. Of a setting the row whose time has come last is
-- in force, of one instant the newest. What is in force is taken back by another change; what is planned is called off
-- by a row that names it, and both are as if they had never been.
CREATE TABLE setting (
  id        INTEGER PRIMARY KEY,
  name      TEXT NOT NULL CHECK (name <> ''),   -- its place in the profile: receipt.footer
  value     TEXT CHECK (json_valid(value)),     -- 'null': left out; NULL: the profile's value again
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

-- The catalog is imported whole, as an edition, and changed at the lane item by item. What is scanned and searched
-- stands in a file of each edition beside this database, which is made from these tables.
CREATE TABLE catalog_edition (
  id          TEXT PRIMARY KEY,
  origin      TEXT NOT NULL CHECK (origin IN ('profile', 'import')),
  file_name   TEXT NOT NULL,
  items       INTEGER NOT NULL CHECK (items > 0),
  made_at     INTEGER NOT NULL,
  made_by     TEXT REFERENCES staff (id),                         -- NULL: the terminal, at its start
  source_hash BLOB NOT NULL CHECK (length(source_hash) = 32)      -- of its chunks
) STRICT;

-- The items of an edition as they were imported, deflated.
CREATE TABLE catalog_source (
  edition_id TEXT NOT NULL REFERENCES catalog_edition (id),
  number     INTEGER NOT NULL CHECK (number > 0),
  chunk      BLOB NOT NULL,
  PRIMARY KEY (edition_id, number)
) STRICT;

-- What was changed of an edition at the lane, in its order.
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
  -- what undoing the last import brings back
  previous_id  TEXT REFERENCES catalog_edition (id) CHECK (previous_id <> current_id),
  profile_hash TEXT                                               -- of the profile's file when it was imported last
) STRICT;

-- Quick keys of a department as a manager arranged them, in the place of the profile's.
CREATE TABLE quick_key_list (
  department_id TEXT PRIMARY KEY,
  skus          TEXT NOT NULL CHECK (json_valid(skus))
) STRICT, WITHOUT ROWID;

-- Coupons that a manager added, changed or took out, in the place of the profile's of the same code.
CREATE TABLE store_coupon (
  code   TEXT PRIMARY KEY CHECK (code = upper(code)),
  coupon TEXT CHECK (json_valid(coupon))  -- NULL: taken out
) STRICT, WITHOUT ROWID;

-- The last offer list that was fetched whole, per language; shown with its age when the offer service is down.
CREATE TABLE offer_list (
  locale     TEXT PRIMARY KEY CHECK (locale GLOB '[a-z][a-z]-[A-Z][A-Z]'),
  region     TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  total      INTEGER NOT NULL,
  offers     TEXT NOT NULL CHECK (json_valid(offers))
) STRICT;

-- Every echo check of the last days. Adds to `echo_hour` in its own commit, so that its rows may go at any time.
CREATE TABLE echo_result (
  id       INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  failed   INTEGER NOT NULL CHECK (failed IN (0, 1)),
  -- how long before it the lane is known to have been on, back to the check before it; 0 behind a gap
  known_ms INTEGER NOT NULL CHECK (known_ms >= 0),
  result   TEXT NOT NULL CHECK (json_valid(result))
) STRICT;
-- Since when it is as it is: behind the last failure or gap.
CREATE INDEX echo_result_turn ON echo_result (id) WHERE failed = 1 OR known_ms = 0;

-- What the echo checks of an hour add up to, a year long. An hour without a row is one in which the lane was off.
CREATE TABLE echo_hour (
  -- its first instant, on the store's own clock: half past in UTC where the clocks of the zone are
  from_ms        INTEGER PRIMARY KEY,
  checks         INTEGER NOT NULL CHECK (checks >= 0),
  failures       INTEGER NOT NULL CHECK (failures BETWEEN 0 AND checks),
  -- of it, the time in which the lane was on, and in which it was on behind a failed check
  on_ms          INTEGER NOT NULL CHECK (on_ms BETWEEN 0 AND 3600000),
  down_ms        INTEGER NOT NULL CHECK (down_ms BETWEEN 0 AND on_ms),
  -- of the checks that were answered well, in tenths of milliseconds
  timed          INTEGER NOT NULL CHECK (timed BETWEEN 0 AND checks),
  latency_sum    INTEGER NOT NULL,
  latency_least  INTEGER,
  latency_most   INTEGER,
  CHECK ((latency_least IS NULL) = (timed = 0) AND (latency_most IS NULL) = (timed = 0))
) STRICT;

-- Failed echo checks without a good one between them, the newest thousand.
CREATE TABLE echo_outage (
  id      INTEGER PRIMARY KEY,
  from_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- the first good check after it; null while it lasts, and for ever where the lane went off before there was one
  to_at   INTEGER,
  checks  INTEGER NOT NULL CHECK (checks > 0),
  -- of the first that failed, without its headers
  result  TEXT NOT NULL CHECK (json_valid(result))
) STRICT;
CREATE INDEX echo_outage_last ON echo_outage (last_at);


-- Sales and their lines -----------------------------------------------------------------------------------------------

-- The profile's rules of partner-calculated miles, as sales were closed under them.
CREATE TABLE partner_rules (
  id    INTEGER PRIMARY KEY,
  rules TEXT NOT NULL UNIQUE CHECK (json_valid(rules))
) STRICT;

CREATE TABLE sale (
  id                TEXT PRIMARY KEY,
  -- sales and returns of a lane share one sequence
  sequence          INTEGER NOT NULL UNIQUE,
  version           INTEGER NOT NULL,
  state             TEXT NOT NULL CHECK (state IN ('open', 'completed', 'cancelled')),
  lane              TEXT NOT NULL,
  cashier_id        TEXT NOT NULL REFERENCES staff (id),                -- who opened it
  -- who put it on hold, took a payment or closed it last; NULL: still who opened it
  served_by         TEXT REFERENCES staff (id),
  opened_at         INTEGER NOT NULL,
  closed_at         INTEGER,
  -- put on hold: open, and not the one that the lane rings
  held_at           INTEGER CHECK (held_at IS NULL OR state = 'open'),
  held_as           TEXT,                                               -- what the cashier called it
  member_last4      TEXT,
  member_entry_mode TEXT CHECK (member_entry_mode IN ('SWIPE', 'SCAN', 'KEYED')),
  member_sealed     BLOB,
  member_hash       BLOB,
  member_state      TEXT CHECK (member_state IN ('pending', 'known', 'unknown')),
  -- what INQUIRE said that the sale still needs: facts for the choice, balances for the paper
  inquiry           TEXT CHECK (json_valid(inquiry)),
  note              TEXT CHECK (length(note) BETWEEN 1 AND 120),
  -- why no tax is taken, or only the federal one, and the certificate's number
  exemption         TEXT CHECK (json_valid(exemption)),
  -- the highest age that the customer was found to have reached; never a date of birth
  age_checked       INTEGER CHECK (age_checked BETWEEN 1 AND 99),
  -- rates that it was closed under and the categories that attract each: returns and copies go by them
  taxes             TEXT CHECK (json_valid(taxes)),
  partner_rules_id  INTEGER REFERENCES partner_rules (id),              -- NULL: the program calculates the miles
  -- what it came to when it was closed, of a completed one: reports and Z add these up
  totals            TEXT CHECK (json_valid(totals)),
  shift_id          INTEGER REFERENCES shift (id),                      -- in which it was closed
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
-- People type the last characters of the number under a receipt's barcode.
CREATE INDEX sale_by_end_of_id ON sale (substr(id, -4));

CREATE TABLE sale_line (
  sale_id             TEXT NOT NULL REFERENCES sale (id),
  number              INTEGER NOT NULL CHECK (number > 0),
  sku                 TEXT NOT NULL,
  names               TEXT NOT NULL CHECK (json_valid(names)),
  quantity            INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  unit_price_cents    INTEGER NOT NULL,
  regular_price_cents INTEGER CHECK (regular_price_cents >= 0),  -- the catalog's, where another was put in its place
  tax_category        TEXT NOT NULL CHECK (tax_category IN ('standard', 'book', 'children-wear', 'diapers',
    'federal-only', 'zero-rated')),
  department_id       TEXT NOT NULL,
  category_id         TEXT,
  note                TEXT CHECK (length(note) BETWEEN 1 AND 120),
  minimum_age         INTEGER CHECK (minimum_age BETWEEN 1 AND 99),  -- from which it is sold, as it was rung
  voided              INTEGER NOT NULL DEFAULT 0 CHECK (voided IN (0, 1)),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;

-- What takes something off, as it was granted. What it comes to is worked out from the lines as they stand.
CREATE TABLE sale_discount (
  sale_id       TEXT NOT NULL REFERENCES sale (id),
  number        INTEGER NOT NULL CHECK (number > 0),
  reaches       TEXT NOT NULL CHECK (reaches IN ('line', 'item', 'department', 'sale')),
  target        TEXT,                                                   -- line number, SKU or department
  off_cents     INTEGER CHECK (off_cents > 0),
  off_ppm       INTEGER CHECK (off_ppm BETWEEN 1 AND 1000000),          -- share in parts per million
  minimum_cents INTEGER NOT NULL DEFAULT 0 CHECK (minimum_cents >= 0),  -- of what it reaches, before tax
  reason        TEXT,                                                   -- of a discount by hand
  coupon        TEXT,                                                   -- code of a coupon
  names         TEXT CHECK (json_valid(names)),                         -- of a coupon
  approved_by   TEXT REFERENCES staff (id),
  removed       INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
  PRIMARY KEY (sale_id, number),
  CHECK (off_cents IS NULL OR off_ppm IS NULL),
  -- a coupon of miles alone takes nothing off
  CHECK (off_cents IS NOT NULL OR off_ppm IS NOT NULL OR coupon IS NOT NULL),
  CHECK ((reaches = 'sale') = (target IS NULL)),
  CHECK ((reason IS NULL) <> (coupon IS NULL)),
  CHECK ((coupon IS NULL) = (names IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sale_discount_coupon_once ON sale_discount (sale_id, coupon) WHERE coupon IS NOT NULL
  AND removed = 0;
-- Of a closed sale nothing moves any more: its returns and the copies of its receipt go by these rows.
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

-- What the receipt of a sale says of the program's offers, as they stood when it closed: copies say the same.
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

-- Every change of an open sale with what stood before it.
CREATE TABLE sale_undo (
  sale_id      TEXT NOT NULL REFERENCES sale (id),
  number       INTEGER NOT NULL CHECK (number > 0),
  -- newest payment that stood then (0: none): while a newer one stands, the change is out of reach
  after_tender INTEGER NOT NULL CHECK (after_tender >= 0),
  change       TEXT NOT NULL CHECK (json_valid(change)),
  PRIMARY KEY (sale_id, number)
) STRICT, WITHOUT ROWID;


-- Tenders -------------------------------------------------------------------------------------------------------------

-- A negative amount gives a tender back. Cash out never exceeds cash in.
CREATE TABLE tender (
  sale_id               TEXT NOT NULL REFERENCES sale (id),
  number                INTEGER NOT NULL CHECK (number > 0),
  kind                  TEXT NOT NULL CHECK (kind <> ''),
  amount_cents          INTEGER NOT NULL,
  rounding_cents        INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 2),
  tendered_cents        INTEGER NOT NULL,
  change_cents          INTEGER NOT NULL DEFAULT 0 CHECK (change_cents >= 0),
  reference             TEXT,
  operation_id          TEXT REFERENCES operation (id),              -- of miles: the redemption
  voucher_id            TEXT REFERENCES voucher (id),                -- of store credit and gift cards
  -- what was left on it then: a copy of the receipt says it again
  voucher_balance_cents INTEGER CHECK (voucher_balance_cents >= 0),
  -- number of the payment that this row gives back, whole; NULL: a payment, or what a cancelled sale gave back
  takes_back            INTEGER,
  at                    INTEGER NOT NULL,
  shift_id              INTEGER NOT NULL REFERENCES shift (id),      -- in whose custody it was taken or given back
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

-- What the lane asked of its card terminal: written before the request leaves, and settled by what the terminal says of
-- it, now or when it is asked later. No card number and no track is ever here.
CREATE TABLE card_transaction (
  -- made by the lane, used once; the terminal is asked by it what became of the request
  reference     TEXT PRIMARY KEY CHECK (length(reference) BETWEEN 1 AND 10),
  sale_id       TEXT NOT NULL REFERENCES sale (id),
  kind          TEXT NOT NULL CHECK (kind IN ('payment', 'refund')),
  -- of a refund: the payment whose card gets it, and the return that it belongs to
  original      TEXT REFERENCES card_transaction (reference),
  return_id     TEXT REFERENCES sale_return (id),
  amount_cents  INTEGER NOT NULL CHECK (amount_cents > 0),
  state         TEXT NOT NULL CHECK (state IN ('asked', 'unknown', 'approved', 'declined', 'cancelled')),
  -- why it was declined, who cancelled it, or why its outcome is not known
  reason        TEXT,
  -- what the terminal said of an approval: amount, code, its own name for it, and what a receipt may say of the card
  approval      TEXT CHECK (json_valid(approval)),
  asked_at      INTEGER NOT NULL,
  settled_at    INTEGER,
  -- who said what became of it, where the terminal does not, or gave a refund in another form
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
-- All refunds of a payment together never exceed it.
CREATE TRIGGER card_refund_was_paid BEFORE INSERT ON card_transaction
  WHEN NEW.kind = 'refund' AND NEW.amount_cents
  + (SELECT coalesce(sum(amount_cents), 0) FROM card_transaction WHERE original = NEW.original)
  > coalesce((SELECT json_extract(approval, '$.amountCents') FROM card_transaction
  WHERE reference = NEW.original AND kind = 'payment' AND sale_id = NEW.sale_id AND state = 'approved'), 0)
BEGIN SELECT RAISE(ABORT, 'more goes back to the card than it paid'); END;

-- Miles that were redeemed can be given back until 03:00 of the next day (specification 3 §4.5), and nobody watches a
-- sale that lies aside: what holds a payment, or a redemption that may stand, is never put on hold. A sale whose
-- payments were all given back owes nothing, and may lie aside like one that was never paid on.
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
  id             TEXT PRIMARY KEY,           -- checkoutTransactionId of its RETURN, and its receipt's barcode
  sequence       INTEGER NOT NULL UNIQUE,    -- sales and returns of a lane share one sequence
  sale_id        TEXT REFERENCES sale (id),  -- NULL: without a record, approved
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

-- Each line as it was sold: price and taxes of the sale, not of today's catalog.
CREATE TABLE return_line (
  return_id        TEXT NOT NULL REFERENCES sale_return (id),
  number           INTEGER NOT NULL CHECK (number > 0),
  sale_line_number INTEGER,  -- NULL: without a record
  sku              TEXT NOT NULL,
  names            TEXT NOT NULL CHECK (json_valid(names)),
  quantity         INTEGER NOT NULL CHECK (quantity BETWEEN 1 AND 999),
  unit_price_cents INTEGER NOT NULL,
  -- taken off these pieces when they were sold: they give back what was paid
  discount_cents   INTEGER NOT NULL DEFAULT 0 CHECK (discount_cents BETWEEN 0 AND quantity * unit_price_cents),
  tax_category     TEXT NOT NULL CHECK (tax_category IN ('standard', 'book', 'children-wear', 'diapers', 'federal-only',
    'zero-rated')),
  department_id    TEXT NOT NULL,
  category_id      TEXT,
  PRIMARY KEY (return_id, number)
) STRICT, WITHOUT ROWID;
-- A line is never returned more often than it was sold. Without a record there is no line to compare with.
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

-- In which form the money went back, and which of the sale's payments it stands for: store credit may stand for any.
-- Cash handed out is amount_cents + rounding_cents.
CREATE TABLE refund (
  return_id      TEXT NOT NULL REFERENCES sale_return (id),
  number         INTEGER NOT NULL CHECK (number > 0),
  kind           TEXT NOT NULL CHECK (kind <> ''),
  -- kind of the tenders it stands for, 'voucher' for all vouchers; NULL without a record
  paid_by        TEXT CHECK (paid_by <> ''),
  amount_cents   INTEGER NOT NULL CHECK (amount_cents > 0),
  rounding_cents INTEGER NOT NULL DEFAULT 0 CHECK (abs(rounding_cents) <= 4),
  -- slip of the card, confirmation number; of a voucher its last four, never its code
  reference      TEXT,
  operation_id   TEXT UNIQUE REFERENCES operation (id),  -- of miles: the redemption that is reversed
  voucher_id     TEXT REFERENCES voucher (id),           -- of store credit: what was issued
  PRIMARY KEY (return_id, number),
  CHECK (kind = 'store-credit' OR paid_by = kind),
  CHECK (kind = 'cash' OR rounding_cents = 0),
  CHECK (kind <> 'cash' OR (amount_cents + rounding_cents) % 5 = 0),
  CHECK ((kind = 'miles') = (operation_id IS NOT NULL)),
  CHECK ((kind = 'store-credit') = (voucher_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- No payment gives back more than it was worth, in whatever form; all together not more than was paid; and no more
-- coins leave than came in: a sale of $22.62 that coins paid with $22.60 gives back $22.62 of store credit, or $22.60
-- in coins. Without a record nobody knows what was paid: store credit only.
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


-- Vouchers: what pays by a code that nobody can read here -------------------------------------------------------------

CREATE TABLE voucher (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind <> ''),
  code_hash   BLOB NOT NULL UNIQUE,  -- keyed hash: finds a code that is presented
  code_sealed BLOB NOT NULL,         -- opened for its paper alone
  last4       TEXT NOT NULL CHECK (length(last4) = 4),
  issued_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER voucher_keeps BEFORE UPDATE ON voucher BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_stays BEFORE DELETE ON voucher BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;
CREATE TRIGGER voucher_is_new BEFORE INSERT ON voucher
  WHEN EXISTS (SELECT 1 FROM voucher WHERE id = NEW.id OR code_hash = NEW.code_hash)
BEGIN SELECT RAISE(ABORT, 'a voucher is append-only'); END;

-- What a voucher is worth is the sum of its entries.
CREATE TABLE voucher_entry (
  id               INTEGER PRIMARY KEY,
  voucher_id       TEXT NOT NULL REFERENCES voucher (id),
  at               INTEGER NOT NULL,
  kind             TEXT NOT NULL CHECK (kind IN ('issued', 'redeemed', 'given-back')),
  amount_cents     INTEGER NOT NULL CHECK (amount_cents > 0),
  return_id        TEXT REFERENCES sale_return (id),  -- issued for this return
  operation_id     TEXT REFERENCES operation (id),    -- issued because this redemption could no longer be reversed
  sale_id          TEXT REFERENCES sale (id),         -- sold, redeemed or given back on this sale, or issued for it
  sale_line_number INTEGER,                           -- the line that sold it
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
-- Never overdrawn, whoever asks at the same time; and a sale gives back what it took, once.
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
-- Issued once: a second issue would make money. A reversal that came too late adds to no voucher either: it gets its
-- own.
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

-- A gift card on a line of a sale: worth nothing until the sale is completed. Without a code of its own it gets one
-- then.
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

-- A restore begins one: what the lane numbers goes on behind everything that the replaced database had used, so that
-- nothing that was printed or sent is used again. The first epoch, from the installation on, has no row.
CREATE TABLE lane_epoch (
  number         INTEGER PRIMARY KEY CHECK (number > 1),
  at             INTEGER NOT NULL,
  backup         TEXT NOT NULL,
  -- the numbers with which it begins: of sales and returns, Z reports, shifts and cash movements
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

-- A Z closes the day of the lane: what it reports is worked out once, from the shifts that it takes in, and stays.
CREATE TABLE z_report (
  number      INTEGER PRIMARY KEY CHECK (number > 0),  -- without a gap within an epoch: see z_report_follows
  lane        TEXT NOT NULL,
  at          INTEGER NOT NULL,
  staff_id    TEXT NOT NULL REFERENCES staff (id),
  -- of the audit trail and the journal: what came after the Z before and up to this one is in this one
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

-- The custody of a drawer: open, counted (nothing enters it any more), closed, and in a Z.
CREATE TABLE shift (
  id          INTEGER PRIMARY KEY,
  lane        TEXT NOT NULL,
  drawer_of   TEXT REFERENCES staff (id),     -- whose own drawer it is; NULL: the lane's
  opened_at   INTEGER NOT NULL,
  opened_by   TEXT NOT NULL REFERENCES staff (id),
  float_cents INTEGER NOT NULL CHECK (float_cents >= 0),
  -- as it was counted; NULL: it opened by itself, with what the shift before it left in the drawer
  float_count TEXT CHECK (json_valid(float_count)),
  counted_at  INTEGER,
  closed_at   INTEGER,
  closed_by   TEXT REFERENCES staff (id),
  -- expected, counted, over or short, the reason, what stays in the drawer
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

-- A blind count, and the one that may follow it.
CREATE TABLE shift_count (
  shift_id INTEGER NOT NULL REFERENCES shift (id),
  number   INTEGER NOT NULL CHECK (number IN (1, 2)),
  at       INTEGER NOT NULL,
  staff_id TEXT NOT NULL REFERENCES staff (id),
  count    TEXT NOT NULL CHECK (json_valid(count)),
  -- what the store tolerated then: a later setting unseals no count
  tolerated_cents INTEGER NOT NULL CHECK (tolerated_cents >= 0),
  PRIMARY KEY (shift_id, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER shift_count_keeps BEFORE UPDATE ON shift_count BEGIN SELECT RAISE(ABORT, 'a count is written once'); END;
CREATE TRIGGER shift_count_stays BEFORE DELETE ON shift_count BEGIN SELECT RAISE(ABORT, 'a count is written once'); END;
CREATE TRIGGER shift_count_is_new BEFORE INSERT ON shift_count
  WHEN EXISTS (SELECT 1 FROM shift_count WHERE shift_id = NEW.shift_id AND number = NEW.number)
  OR (SELECT closed_at FROM shift WHERE id = NEW.shift_id) IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a count is written once'); END;

-- Cash that came or went beside sales, and openings of the drawer without a sale.
CREATE TABLE cash_movement (
  id           INTEGER PRIMARY KEY,
  shift_id     INTEGER NOT NULL REFERENCES shift (id),
  kind         TEXT NOT NULL CHECK (kind <> ''),
  amount_cents INTEGER NOT NULL,               -- what it adds to the drawer: negative where cash goes out
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

-- What was closed and is not in the search yet: one short row in the commit of the sale. The words follow behind it, a
-- few entries at a time, so that no sale waits for an index of its items, amounts or people.
CREATE TABLE search_waiting (
  id   INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('sale', 'return', 'movement')),
  ref  INTEGER NOT NULL  -- sequence of the sale or the return, id of the cash movement
) STRICT;
CREATE TRIGGER search_waits_for_sale AFTER UPDATE OF state ON sale WHEN NEW.state <> 'open' AND OLD.state = 'open'
BEGIN INSERT INTO search_waiting (kind, ref) VALUES ('sale', NEW.sequence); END;
CREATE TRIGGER search_waits_for_return AFTER INSERT ON sale_return
BEGIN INSERT INTO search_waiting (kind, ref) VALUES ('return', NEW.sequence); END;
CREATE TRIGGER search_waits_for_movement AFTER INSERT ON cash_movement
BEGIN INSERT INTO search_waiting (kind, ref) VALUES ('movement', NEW.id); END;

-- In the order of time, which is the order of every list: the id is the time in seconds times 64, and a number among
-- those of the same second. Ids that lie close together make the lists of the index short.
CREATE TABLE search_entry (
  id   INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('sale', 'return', 'movement')),
  ref  INTEGER NOT NULL
) STRICT;
-- Under the id of its entry: words of its items, its amounts, people and numbers, each behind a letter that says which.
-- The beginnings of words are lists of their own: a word of half of all sales is read from its newest entry on.
CREATE VIRTUAL TABLE search_words USING fts5 (words, content = '', columnsize = 0, detail = none,
  prefix = '4 5 6 7 8 9',
  tokenize = "unicode61 remove_diacritics 0 tokenchars '-'");


-- The journal of every call that moves miles, and its outbox ----------------------------------------------------------

-- An operation is one thing that moves miles: a redemption (and its reversal) or an issuance.
-- Its row is the newest state; how it came there stands in journal_entry, which only grows.
CREATE TABLE operation (
  id                  TEXT PRIMARY KEY,
  -- which state machine it follows
  kind                TEXT NOT NULL CHECK (kind IN ('redemption', 'issuance', 'offer-state')),
  -- what it is meant to do
  type           TEXT NOT NULL CHECK (type IN ('redeem', 'issue', 'return', 'record', 'post', 'post-event',
    'post-reverse', 'reverse-event', 'offer-state')),
  -- the sale or the return that it belongs to: see operation_belongs
  sale_id             TEXT NOT NULL,
  collector_hash      BLOB NOT NULL,
  state               TEXT NOT NULL CHECK (
    (kind = 'redemption'
      AND state IN ('intent', 'retry', 'approved', 'declined', 'escalated', 'reversing', 'reversed', 'reversal-expired',
      'reversal-escalated'))
    OR (kind = 'issuance' AND state IN ('queued', 'sent', 'confirmed', 'accepted', 'rejected', 'dead', 'escalated'))
    OR (kind = 'offer-state' AND state IN ('queued', 'sent', 'confirmed', 'refused', 'lapsed'))),
  -- Whether the machine still has work with it. A column of its own: SQLite writes a partial index anew with every
  -- change of a column that its condition names, and most transitions leave this one as it is.
  open                INTEGER NOT NULL CHECK (open = (state IN ('intent', 'retry', 'reversing', 'queued', 'sent'))),
  created_at          INTEGER NOT NULL,
  changed_at          INTEGER NOT NULL,
  -- waits until this one is final: a RETURN for its ISSUE, a REVERSE for its POST
  after_operation_id  TEXT REFERENCES operation (id),
  corrects_id         TEXT REFERENCES operation (id),  -- the refused operation that this one is the corrected copy of
  sends               INTEGER NOT NULL DEFAULT 0,      -- how often its newest call was sent
  first_sent_at       INTEGER,
  next_attempt_at     INTEGER,
  failures            INTEGER NOT NULL DEFAULT 0,
  -- answers of 400 without a code of specification 3 §7.1: it may be tried again, so many times
  refusals            INTEGER NOT NULL DEFAULT 0,
  approved_on_attempt INTEGER,
  units               INTEGER,
  amount_cents        INTEGER,
  -- Of an answered issuance: confirmed, waiting at the program, rejected. NULL: the answer did not say how many.
  -- Negative where miles are taken back.
  miles               INTEGER,
  pending_miles       INTEGER,
  rejected_miles      INTEGER,
  confirmation_number TEXT,
  trans_date_time     TEXT,
  transaction_id      TEXT,
  response_code       TEXT,
  outcome             TEXT,
  detail              TEXT,
  newest_entry        INTEGER NOT NULL,                -- its entries are found from here backwards, and need no index
  digest              BLOB NOT NULL                    -- of the row as its newest entry left it, under a key
) STRICT;
CREATE INDEX operation_by_sale ON operation (sale_id, kind);
CREATE INDEX operation_open ON operation (collector_hash) WHERE open = 1;
CREATE INDEX operation_attention ON operation (changed_at)
  WHERE state IN ('escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated');
-- Accepted at the program with a code: its miles are still to come.
CREATE INDEX operation_accepted ON operation (changed_at) WHERE state = 'accepted';
CREATE INDEX operation_reconciliation ON operation (created_at) WHERE approved_on_attempt > 1;
CREATE UNIQUE INDEX operation_corrected_once ON operation (corrects_id) WHERE corrects_id IS NOT NULL;
-- RECORD tells of returns without a record too (specification 3 §4.3), which belong to no sale.
CREATE TRIGGER operation_belongs BEFORE INSERT ON operation
WHEN NOT EXISTS (SELECT 1 FROM sale WHERE id = NEW.sale_id)
  AND NOT EXISTS (SELECT 1 FROM sale_return WHERE id = NEW.sale_id)
BEGIN SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed: an operation belongs to a sale or a return'); END;

-- The exact bytes of a call, stored before the first of them leaves, sealed because they hold a collector number.
CREATE TABLE operation_call (
  operation_id    TEXT NOT NULL REFERENCES operation (id),
  purpose         TEXT NOT NULL CHECK (purpose IN ('redeem', 'reverse', 'issue', 'return', 'record', 'post',
    'post-event', 'post-reverse', 'reverse-event', 'offer-state')),
  path            TEXT NOT NULL,
  idempotency_key TEXT UNIQUE
    -- These two have none (specification 3 §4.3, 1 §4.4).
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

-- A request that lacks what only the answer to the call before it says: the transactionId of the POST that a REVERSE
-- names (specification 3 §4.4). It becomes a row of operation_call with the transition that sends it.
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

-- Every transition, chained: each entry holds the keyed hash of itself and the one before it.
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

-- What a person found out about an operation that the machine gave up on. It leaves the manager's list with it; its
-- state stays.
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

-- A code of 202 that is the store's to mend stands before the manager once, however many sales meet it, until an
-- issuance shows that it is mended or the manager settles it.
CREATE TABLE issuance_notice (
  id                  INTEGER PRIMARY KEY,
  code                TEXT NOT NULL,
  -- what the code speaks of: a location, an offer code, a sponsor code, or nothing
  subject             TEXT NOT NULL,
  first_at            INTEGER NOT NULL,
  last_at             INTEGER NOT NULL,
  times               INTEGER NOT NULL CHECK (times > 0),
  newest_operation_id TEXT NOT NULL REFERENCES operation (id),
  ended_at            INTEGER,
  ended_by            TEXT REFERENCES staff (id),  -- NULL while it stands, and where an issuance ended it
  note                TEXT,
  CHECK (ended_at IS NOT NULL OR (ended_by IS NULL AND note IS NULL)),
  CHECK ((ended_by IS NULL) = (note IS NULL))
) STRICT;
CREATE UNIQUE INDEX issuance_notice_standing ON issuance_notice (code, subject) WHERE ended_at IS NULL;

-- The reconciliation report of one business day for the service operator: the terminal makes the original by itself.
CREATE TABLE reconciliation_export (
  id           INTEGER PRIMARY KEY,
  business_day TEXT NOT NULL,
  at           INTEGER NOT NULL,
  staff_id     TEXT REFERENCES staff (id),          -- NULL: the terminal itself
  copy         INTEGER NOT NULL CHECK (copy >= 0),  -- 0: the original
  rows         INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  miles        INTEGER NOT NULL,
  -- of the exported rows, so that a copy can be told from a changed report
  sha256       BLOB NOT NULL,
  -- of an original: the report as it was made
  report       TEXT CHECK (json_valid(report)),
  CHECK ((copy = 0) = (report IS NOT NULL)),
  CHECK (staff_id IS NOT NULL OR copy = 0),
  UNIQUE (business_day, copy)
) STRICT;
CREATE TRIGGER reconciliation_export_keeps BEFORE UPDATE ON reconciliation_export
BEGIN SELECT RAISE(ABORT, 'an export is written once'); END;
CREATE TRIGGER reconciliation_export_stays BEFORE DELETE ON reconciliation_export
BEGIN SELECT RAISE(ABORT, 'an export is written once'); END;
-- That an original was sent to the service operator, and by whom.
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
-- Which approvals were reported: each stands in exactly one original.
CREATE TABLE reconciliation_row (
  operation_id TEXT PRIMARY KEY REFERENCES operation (id),
  export_id    INTEGER NOT NULL REFERENCES reconciliation_export (id)
) STRICT, WITHOUT ROWID;


-- Documents -----------------------------------------------------------------------------------------------------------

-- A paper is of a sale, of a return or of a voucher, or of none of them. The document of a voucher holds no code: it is
-- put in on the way to the printer.
CREATE TABLE print_job (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind <> ''),
  sale_id     TEXT REFERENCES sale (id),
  return_id   TEXT REFERENCES sale_return (id),
  voucher_id  TEXT REFERENCES voucher (id),
  -- of a paper that is of none of these: the cash movement, the shift, the Z
  subject     TEXT,
  copy        INTEGER NOT NULL,  -- 0: the original
  document    TEXT NOT NULL CHECK (json_valid(document)),
  open_drawer INTEGER NOT NULL CHECK (open_drawer IN (0, 1)),
  state       TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'confirmed', 'unknown', 'failed')),
  -- set before the first byte goes to the printer: a restart never prints a job that had begun
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
-- Documents that never came out: the list and the count of them begin with these few, not with every sale.
CREATE INDEX print_job_in_doubt ON print_job (sale_id) WHERE state IN ('failed', 'unknown') AND kind = 'sale';
CREATE INDEX print_job_other_in_doubt ON print_job (return_id, voucher_id, subject, kind)
  WHERE state IN ('failed', 'unknown')
  AND kind IN ('return', 'voucher', 'cash-movement', 'shift', 'z-report', 'closing');


-- Audit trail ---------------------------------------------------------------------------------------------------------

-- Who did what and when. Only ever grows; numbered without a gap, and chained: each entry holds the keyed hash of
-- itself and the one before it.
CREATE TABLE audit_entry (
  id       INTEGER PRIMARY KEY,
  at       INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  actor_id TEXT REFERENCES staff (id),  -- NULL: the terminal itself
  subject  TEXT,                        -- id of the person, sale or thing it was done to
  detail   TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail)),
  hash     BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
-- Of each list its own order, newest first by time: of all, of a kind, of what a person did of a kind, of a thing.
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

-- Which programs may open this database. One row, which the program writes with every migration. Programs of every
-- release read it: it never changes its form (docs/releases.md).
CREATE TABLE schema_mark (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  schema        INTEGER NOT NULL CHECK (schema > 0),                           -- as PRAGMA user_version has it
  -- the oldest schema whose program may open and write it
  readable_from INTEGER NOT NULL CHECK (readable_from BETWEEN 1 AND schema),
  program       TEXT NOT NULL                                                  -- version that brought it here
) STRICT;


-- Tamper evidence -----------------------------------------------------------------------------------------------------

-- What the tables add up to, sealed with a key that is not in this file: whoever writes past the program is found out.
-- One row, which the program writes in the transaction that brings the schema here (backend/integrity).
CREATE TABLE tamper_evidence (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  counter   INTEGER NOT NULL CHECK (counter > 0),       -- raised by every change of a row that a digest covers
  marked    INTEGER NOT NULL CHECK (marked IN (0, 1)),  -- 1: the mark outside the database was written
  -- names of the tables whose rows no digest covers: a program of the release before knows none that came since
  uncovered TEXT NOT NULL CHECK (json_valid(uncovered)),
  -- the digest of each table, sealed and bound to the columns above
  state     BLOB NOT NULL
) STRICT;

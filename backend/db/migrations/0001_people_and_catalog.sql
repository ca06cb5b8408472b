-- The people of the terminal, the windows they use, what they did, and what the store sells.

CREATE TABLE staff (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('cashier', 'manager')),
  locale TEXT NOT NULL CHECK (locale IN ('en-CA', 'fr-CA')),
  pin_hash TEXT,                                   -- scrypt$N$r$p$salt$hash; NULL: no PIN was set yet
  failed_attempts INTEGER NOT NULL DEFAULT 0,      -- since the last good PIN or lockout
  lockouts INTEGER NOT NULL DEFAULT 0,             -- since the last good PIN; each is longer than the one before
  locked_until INTEGER,                            -- epoch ms
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1))
) STRICT;

CREATE TABLE window_session (
  secret_hash TEXT PRIMARY KEY,                    -- SHA-256 of the cookie's secret
  opened_at INTEGER NOT NULL,
  staff_id TEXT REFERENCES staff (id),
  signed_in_at INTEGER
) STRICT;

-- Who did what and when. Only ever grows.
CREATE TABLE audit_entry (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor_id TEXT REFERENCES staff (id),             -- NULL: the terminal itself
  subject TEXT,                                    -- id of the person, sale or thing it was done to
  detail TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(detail))
) STRICT;
CREATE INDEX audit_entry_at ON audit_entry (at);
CREATE TRIGGER audit_entry_keeps BEFORE UPDATE ON audit_entry BEGIN SELECT raise(ABORT, 'the audit trail is append-only'); END;
-- REPLACE deletes without asking the trigger below.
CREATE TRIGGER audit_entry_is_new BEFORE INSERT ON audit_entry WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id) BEGIN SELECT raise(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER audit_entry_stays BEFORE DELETE ON audit_entry BEGIN SELECT raise(ABORT, 'the audit trail is append-only'); END;

-- Replaced as a whole when the catalog file changes: nothing may refer to an item by id, a sale line keeps its own copy.
CREATE TABLE item (
  id INTEGER PRIMARY KEY,                          -- alphabetical by name, so that lists come in that order for free
  sku TEXT NOT NULL UNIQUE,
  barcode TEXT,
  barcode_key TEXT UNIQUE,                         -- GTINs as 14 digits, so that leading zeros make no difference
  name_en TEXT NOT NULL,
  name_fr TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
  tax_category TEXT NOT NULL CHECK (tax_category IN ('standard', 'federal-only', 'zero-rated')),
  department_id TEXT NOT NULL,
  category_id TEXT
) STRICT;

-- Words of both names and the SKU, folded by the program (lower case, no accents, œ as oe).
CREATE VIRTUAL TABLE item_words USING fts5 (words, content = '', columnsize = 0, detail = none, prefix = '1 2 3 4 5 6 7 8 9 10', tokenize = "unicode61 remove_diacritics 0");
-- Any three or more digits of a barcode.
CREATE VIRTUAL TABLE item_barcodes USING fts5 (barcode, content = '', columnsize = 0, tokenize = 'trigram');

CREATE TABLE catalog_import (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  content_hash TEXT NOT NULL,                      -- SHA-256 of the file
  items INTEGER NOT NULL,
  imported_at INTEGER NOT NULL
) STRICT;

-- The last offer list that was fetched whole, per language; shown with its age when the offer service is down.
CREATE TABLE offer_list (
  locale TEXT PRIMARY KEY CHECK (locale IN ('en-CA', 'fr-CA')),
  region TEXT NOT NULL,
  fetched_at INTEGER NOT NULL,
  total INTEGER NOT NULL,
  offers TEXT NOT NULL CHECK (json_valid(offers))
) STRICT;

CREATE TABLE echo_result (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  result TEXT NOT NULL CHECK (json_valid(result))
) STRICT;

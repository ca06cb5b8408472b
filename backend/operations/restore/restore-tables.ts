import type { LostKind } from '../../../contracts/operations/backups.ts'

interface NamedTable {
  /** As what the preview names its rows. */
  readonly lost: readonly LostKind[]
  /** A query of one value that moves with all that is named, and not with a sign-in. */
  readonly stands: string
}

const LAST_VOUCHER_ENTRY = 'SELECT max(id) FROM voucher_entry'
const CATALOG_IN_USE = 'SELECT json_array(current_id, previous_id) FROM catalog_in_use'
const LAST_EXPORT = 'SELECT max(id) FROM reconciliation_export'

/** Every table of the lane's database is in one of three groups. What of these moves ends a preview. */
export const NAMED: Readonly<Record<string, NamedTable>> = {
  sale: {
    lost: ['sales', 'unfinished'],
    stands: `SELECT json_array((SELECT max(sequence) FROM sale), (SELECT count(*) FROM sale WHERE state <> 'open'),
      (SELECT json_group_array(json_array(id, version)) FROM sale WHERE state = 'open' AND held_at IS NULL),
      (SELECT json_group_array(json_array(id, version)) FROM sale WHERE held_at IS NOT NULL))`,
  },
  sale_return: { lost: ['returns'], stands: 'SELECT max(sequence) FROM sale_return' },
  operation: { lost: ['redemptions', 'issuances', 'waiting', 'review'], stands: 'SELECT max(seq) FROM journal_entry' },
  operation_resolution: { lost: ['review'], stands: 'SELECT count(*) FROM operation_resolution' },
  issuance_notice: { lost: ['review'], stands: 'SELECT count(ended_by) FROM issuance_notice' },
  card_transaction: {
    lost: ['cards', 'review'],
    stands: 'SELECT json_array(count(*), count(settled_at), count(resolved_by)) FROM card_transaction',
  },
  voucher: { lost: ['vouchers'], stands: LAST_VOUCHER_ENTRY },
  voucher_entry: { lost: ['vouchers-used'], stands: LAST_VOUCHER_ENTRY },
  cash_movement: { lost: ['cash'], stands: 'SELECT max(id) FROM cash_movement' },
  shift: {
    lost: ['shifts'],
    stands: `SELECT json_array(max(id), count(counted_at), count(closed_at), (SELECT count(*) FROM shift_count))
      FROM shift`,
  },
  z_report: { lost: ['z'], stands: 'SELECT max(number) FROM z_report' },
  reconciliation_export: { lost: ['reports'], stands: LAST_EXPORT },
  reconciliation_sent: { lost: ['reports'], stands: 'SELECT count(*) FROM reconciliation_sent' },
  staff: {
    lost: ['staff', 'badges'],
    stands: `SELECT json_group_array(json_array(id, name, role, locale, active, pin_hash, hex(badge_hash),
      badge_active)) FROM staff`,
  },
  setting: { lost: ['settings'], stands: 'SELECT max(id) FROM setting' },
  catalog_edition: { lost: ['imports'], stands: CATALOG_IN_USE },
  catalog_in_use: { lost: ['imports'], stands: CATALOG_IN_USE },
  catalog_change: {
    lost: ['items', 'planned-prices'],
    stands: 'SELECT json_array(count(*), max(number)) FROM catalog_change',
  },
  quick_key_list: {
    lost: ['quick-keys'],
    stands: 'SELECT json_group_array(json_array(department_id, skus)) FROM quick_key_list',
  },
  store_coupon: { lost: ['coupons'], stands: 'SELECT json_group_array(json_array(code, coupon)) FROM store_coupon' },
}

/** Tables whose rows are written with a row of a named one, which moves then: they are lost with it. */
export const WITHIN: Readonly<Record<string, string>> = {
  sale_line: 'sale',
  sale_discount: 'sale',
  sale_offer: 'sale',
  sale_undo: 'sale',
  sale_gift_card: 'sale',
  voucher_use: 'sale',
  tender: 'sale',
  partner_rules: 'sale',
  return_line: 'sale_return',
  refund: 'sale_return',
  store_sale: 'sale_return',
  store_sale_line: 'sale_return',
  store_sale_payment: 'sale_return',
  store_return: 'sale_return',
  store_return_line: 'sale_return',
  store_refund: 'sale_return',
  store_miles_due: 'sale_return',
  store_claim: 'sale_return',
  store_hold: 'sale',
  store_hold_claim: 'sale',
  store_copy: 'sale',
  staff_store_pin: 'staff',
  staff_store_badge: 'staff',
  operation_call: 'operation',
  operation_draft: 'operation',
  journal_entry: 'operation',
  shift_count: 'shift',
  reconciliation_row: 'reconciliation_export',
  catalog_source: 'catalog_edition',
}

/** Tables of which a preview says nothing, on purpose. */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  // The restore itself sees to them: windows are those of now, commands are forgotten, an epoch begins.
  'window_session',
  'command',
  'lane_epoch',
  'tamper_evidence',
  // Of the database itself, and the same in a backup of the same schema.
  'schema_mark',
  // It tells of what is named, and of sign-ins. What is lost of it stays in the database that is kept aside.
  'audit_entry',
  // Papers: what they tell of is named. One that waited in the backup does not come out by itself.
  'print_job',
  // Made of other rows.
  'search_waiting',
  'search_entry',
  'search_words',
  // Fetched again with the next sale.
  'offer_list',
  // How the line was: nobody works by it, and no money goes by it.
  'echo_result',
  'echo_hour',
  'echo_outage',
  // What was told and heard of the store: a restored lane tells on, under another name.
  'store_stream',
  'store_confirmed',
  'store_heard',
  'store_waiting',
  'store_fact',
  'store_cursor',
  'store_aside',
  'store_key',
  // What managers of the store changed: what it comes to stands in the tables that are named, and is heard again.
  'store_change',
  'store_change_cursor',
  'store_change_kinds',
  'store_register',
  'store_catalog_item',
  'store_catalog_base',
  'store_catalog_due',
  'store_catalog_barcode_lost',
  'store_catalog_import',
  'store_catalog_part',
  // What moved between this lane and its store: the store knows, and says so before any voucher pays again.
  'voucher_transfer',
  'voucher_draw',
  'voucher_epoch',
  // Over within minutes: how loud a lane is, how often a PIN was wrong.
  'lane_sound',
  'pin_door',
])

/** One text that moves with everything that a preview counts. */
export const STANDS = `SELECT json_array(${[...new Set(Object.values(NAMED).map(({ stands }) => `(${stands})`))].join(
  ', ',
)})`

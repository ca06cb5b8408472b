import type { LostKind } from '../../../contracts/operations/backups.ts'

interface NamedTable {
  readonly lost: readonly LostKind[]
  /** Query for one value that changes with every row that the preview names, and not with a sign-in. */
  readonly fingerprint: string
}

const LAST_VOUCHER_ENTRY = 'SELECT max(id) FROM voucher_entry'
const CATALOG_IN_USE = 'SELECT json_array(current_id, previous_id) FROM catalog_in_use'
const LAST_EXPORT = 'SELECT max(id) FROM reconciliation_export'

/**
 * Tables whose lost rows the preview names: a change in one of them after the preview refuses the restore. Every table
 * of the lane's database is in one of three groups.
 */
export const NAMED: Readonly<Record<string, NamedTable>> = {
  sale: {
    lost: ['sales', 'unfinished'],
    fingerprint: `SELECT json_array((SELECT max(sequence) FROM sale), (SELECT count(*) FROM sale WHERE state <> 'open'),
      (SELECT json_group_array(json_array(id, version)) FROM sale WHERE state = 'open' AND held_at IS NULL),
      (SELECT json_group_array(json_array(id, version)) FROM sale WHERE held_at IS NOT NULL))`,
  },
  sale_return: { lost: ['returns'], fingerprint: 'SELECT max(sequence) FROM sale_return' },
  operation: {
    lost: ['redemptions', 'issuances', 'waiting', 'review'],
    fingerprint: 'SELECT max(seq) FROM journal_entry',
  },
  operation_resolution: { lost: ['review'], fingerprint: 'SELECT count(*) FROM operation_resolution' },
  issuance_notice: { lost: ['review'], fingerprint: 'SELECT count(ended_by) FROM issuance_notice' },
  card_transaction: {
    lost: ['cards', 'review'],
    fingerprint: 'SELECT json_array(count(*), count(settled_at), count(resolved_by)) FROM card_transaction',
  },
  voucher: { lost: ['vouchers'], fingerprint: LAST_VOUCHER_ENTRY },
  voucher_entry: { lost: ['vouchers-used'], fingerprint: LAST_VOUCHER_ENTRY },
  cash_movement: { lost: ['cash'], fingerprint: 'SELECT max(id) FROM cash_movement' },
  shift: {
    lost: ['shifts'],
    fingerprint: `SELECT json_array(max(id), count(counted_at), count(closed_at), (SELECT count(*) FROM shift_count))
      FROM shift`,
  },
  z_report: { lost: ['z'], fingerprint: 'SELECT max(number) FROM z_report' },
  reconciliation_export: { lost: ['reports'], fingerprint: LAST_EXPORT },
  reconciliation_sent: { lost: ['reports'], fingerprint: 'SELECT count(*) FROM reconciliation_sent' },
  staff: {
    lost: ['staff', 'badges'],
    fingerprint: `SELECT json_group_array(json_array(id, name, role, locale, active, pin_hash, hex(badge_hash),
      badge_active)) FROM staff`,
  },
  setting: { lost: ['settings'], fingerprint: 'SELECT max(id) FROM setting' },
  catalog_edition: { lost: ['imports'], fingerprint: CATALOG_IN_USE },
  catalog_in_use: { lost: ['imports'], fingerprint: CATALOG_IN_USE },
  catalog_change: {
    lost: ['items', 'planned-prices'],
    fingerprint: 'SELECT json_array(count(*), max(number)) FROM catalog_change',
  },
  quick_key_list: {
    lost: ['quick-keys'],
    fingerprint: 'SELECT json_group_array(json_array(department_id, skus)) FROM quick_key_list',
  },
  store_coupon: {
    lost: ['coupons'],
    fingerprint: 'SELECT json_group_array(json_array(code, coupon)) FROM store_coupon',
  },
  store_charge: {
    lost: ['charges'],
    fingerprint: 'SELECT json_group_array(json_array(id, charge)) FROM store_charge',
  },
  store_manufacturer_coupon: {
    lost: ['coupons'],
    fingerprint: 'SELECT json_group_array(json_array(code, coupon)) FROM store_manufacturer_coupon',
  },
  store_promotion: {
    lost: ['promotions'],
    fingerprint: 'SELECT json_group_array(json_array(id, promotion)) FROM store_promotion',
  },
}

/** Tables whose rows are written with a row of a named table, and are lost with it. */
export const WITHIN: Readonly<Record<string, string>> = {
  sale_line: 'sale',
  sale_discount: 'sale',
  sale_offer: 'sale',
  sale_undo: 'sale',
  sale_gift_card: 'sale',
  price_correction: 'sale',
  gift_card_cash_out: 'sale',
  voucher_use: 'sale',
  tender: 'sale',
  partner_rules: 'sale',
  sold_price: 'sale',
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

export const LEFT_OUT: ReadonlySet<string> = new Set([
  // The restore handles these itself: windows remain, commands deleted, and an epoch starts.
  'window_session',
  'command',
  'lane_epoch',
  'tamper_evidence',
  // Data about the database itself, equal in a backup with the same schema.
  'schema_mark',
  // The audit trail records changes of rows that the preview names, and sign-ins. Its lost entries stay in the replaced
  // database.
  'audit_entry',
  // Documents about rows that the preview names. Those that wait in the backup are not printed by themselves.
  'print_job',
  // E-mails that wait in the backup may have been sent since: the restore cancels them and deletes their messages.
  // Links to receipts stay valid at the store server.
  'receipt_delivery',
  'receipt_link',
  // Derived from other rows.
  'search_waiting',
  'search_entry',
  'search_words',
  // The lists of offers are fetched again after the next start.
  'offer_list',
  // Statistics of connections, on which no work or money depends.
  'echo_result',
  'echo_hour',
  'echo_outage',
  // State of the exchange with the store server: a restored lane continues in another stream.
  'store_stream',
  'store_confirmed',
  'store_heard',
  'store_waiting',
  'store_fact',
  'store_cursor',
  'store_aside',
  'store_key',
  // Changes by managers at other lanes, which the store server sends again. The changed rows are in tables that the
  // preview names.
  'store_change',
  'store_change_cursor',
  'store_change_kinds',
  'store_register',
  'store_catalog_item',
  'store_catalog_base',
  'store_catalog_due',
  'store_catalog_barcode_lost',
  'store_catalog_item_code',
  'store_catalog_base_code',
  'store_catalog_code_lost',
  'store_catalog_import',
  'store_catalog_part',
  // Transfers between this lane and its store: the store server has them, and sends them before a voucher can pay
  // again.
  'voucher_transfer',
  'voucher_draw',
  'voucher_epoch',
  // Short-lived (wrong PINs), or unimportant (the volume of the lane).
  'lane_sound',
  'pin_door',
])

export const FINGERPRINT = `SELECT json_array(${[
  ...new Set(Object.values(NAMED).map(({ fingerprint }) => `(${fingerprint})`)),
].join(', ')})`

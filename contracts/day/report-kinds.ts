/** Kind of the rows in a breakdown of a report, which decides their names and their order. */
export type BreakdownRows =
  | 'hour'
  | 'day'
  | 'department'
  | 'item'
  | 'person'
  | 'tender'
  | 'tax'
  | 'promotion'
  | 'charge'
  | 'coupon'
  | 'reason'
  | 'rule'

/**
 * The breakdowns of a report, in the order of the page. Their names are the texts `reports.by.<code>` in the message
 * catalogs.
 */
const KINDS = {
  hours: { rows: 'hour', money: true },
  days: { rows: 'day', money: true },
  departments: { rows: 'department', money: true },
  items: { rows: 'item', money: true },
  cashiers: { rows: 'person', money: true },
  tenders: { rows: 'tender', money: true },
  taxes: { rows: 'tax', money: true },
  promotions: { rows: 'promotion', money: true },
  deposits: { rows: 'charge', money: true },
  empties: { rows: 'charge', money: true },
  coupons: { rows: 'coupon', money: false },
  'manufacturer-coupons': { rows: 'coupon', money: true },
  'price-accuracy': { rows: 'item', money: true },
  'cash-outs': { rows: 'person', money: true },
  'empties-paid': { rows: 'person', money: true },
  discounts: { rows: 'person', money: true },
  voids: { rows: 'person', money: true },
  cancelled: { rows: 'person', money: false },
  returns: { rows: 'person', money: true },
  'return-reasons': { rows: 'reason', money: true },
  'return-rules': { rows: 'rule', money: true },
  'no-sales': { rows: 'person', money: false },
  'price-changes': { rows: 'person', money: false },
  'over-short': { rows: 'person', money: true },
} as const satisfies Record<string, { readonly rows: BreakdownRows; readonly money: boolean }>

export type BreakdownKind = keyof typeof KINDS
export const BREAKDOWNS = Object.keys(KINDS) as BreakdownKind[]
export const breakdownRows = (kind: BreakdownKind): BreakdownRows => KINDS[kind].rows
export const hasMoney = (kind: BreakdownKind): boolean => KINDS[kind].money

/** Id of the row for cash rounding, which is listed among the payments although it is no payment. */
export const CASH_ROUNDING = 'cash-rounding'
const RETURNED = '-returned'
export const returnedTax = (code: string): string => code + RETURNED
export const taxOfRow = (id: string): { readonly code: string; readonly isReturned: boolean } =>
  id.endsWith(RETURNED) ? { code: id.slice(0, -RETURNED.length), isReturned: true } : { code: id, isReturned: false }

/** Kinds of entries in the electronic journal. Their names are the texts `journalSearch.kinds.<code>`. */
export const JOURNAL_KINDS = ['sale', 'cancelled', 'moved', 'return', 'movement'] as const
export type JournalKind = (typeof JOURNAL_KINDS)[number]

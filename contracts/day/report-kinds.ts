/** What a report is broken down by. The words are `reports.by.<code>` in the catalogs. */
export const BREAKDOWNS = [
  'hours',
  'days',
  'departments',
  'items',
  'cashiers',
  'tenders',
  'taxes',
  'discounts',
  'voids',
  'cancelled',
  'returns',
  'no-sales',
  'price-changes',
  'over-short',
] as const
export type BreakdownKind = (typeof BREAKDOWNS)[number]

/** Those of one person each. */
export const OF_PEOPLE: ReadonlySet<BreakdownKind> = new Set([
  'cashiers',
  'discounts',
  'voids',
  'cancelled',
  'returns',
  'no-sales',
  'price-changes',
  'over-short',
])

/** The row of the cash rounding among the payments, of all of which it is no part. */
export const CASH_ROUNDING = 'cash-rounding'
/** The row of a tax that returns gave back. */
const RETURNED = '-returned'
export const returnedTax = (code: string): string => code + RETURNED
/** The code of the tax, and whether returns gave it back. */
export const taxOfRow = (id: string): { readonly code: string; readonly isReturned: boolean } =>
  id.endsWith(RETURNED) ? { code: id.slice(0, -RETURNED.length), isReturned: true } : { code: id, isReturned: false }

/** What stands in the electronic journal. The words are `journalSearch.kinds.<code>` in the catalogs. */
export const JOURNAL_KINDS = ['sale', 'cancelled', 'moved', 'return', 'movement'] as const
export type JournalKind = (typeof JOURNAL_KINDS)[number]

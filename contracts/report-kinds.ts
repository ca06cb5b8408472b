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

/** What stands in the electronic journal. The words are `journalSearch.kinds.<code>` in the catalogs. */
export const JOURNAL_KINDS = ['sale', 'cancelled', 'moved', 'return', 'movement'] as const
export type JournalKind = (typeof JOURNAL_KINDS)[number]

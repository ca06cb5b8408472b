import type { JournalFilter } from '../../../contracts/api/journal-search.ts'
import { queryOf, wordsOf } from '../catalog/search-terms.ts'
import type { FactsRow, LineFacts, RowKind } from './repository.ts'

/** Behind which letter a word of the search stands, so that an amount is never taken for a name. */
const OF = { item: 'i', amount: 'a', person: 'p', last4: 'm', receipt: 'r', kind: 'k' } as const
const ITEM_WORDS = 8
/** Beginnings that are lists of their own in the index (0001_baseline.sql), one letter less than there. */
const SHORTEST_BEGINNING = 3
const LONGEST_BEGINNING = 8
/** Of a receipt number so many characters are a word; the whole of what was typed is compared afterwards. */
const RECEIPT_END = 4

export const kindOf = (kind: RowKind, state: FactsRow['state']): NonNullable<JournalFilter['kind']> =>
  kind === 'sale' && (state === 'cancelled' || state === 'moved') ? state : kind

/** What an entry is found by, as one text for the full-text index. */
export function wordsOfEntry(
  kind: RowKind,
  facts: FactsRow,
  lines: readonly LineFacts[],
  payments: readonly { readonly cents: number }[],
): string {
  const items = lines.flatMap(({ sku, names }) => [
    ...wordsOf(sku),
    ...Object.values(JSON.parse(names) as Record<string, string>).flatMap(wordsOf),
  ])
  const amounts = [facts.totalCents, ...payments.map(({ cents }) => cents)].filter((amount) => amount !== null)
  const people = [facts.person, facts.approvedBy].filter((person) => person !== null)
  return [
    ...new Set([
      ...items.map((word) => OF.item + word),
      ...amounts.map((amount) => OF.amount + String(amount)),
      ...people.map((person) => OF.person + person),
      ...(facts.last4 === null ? [] : [OF.last4 + facts.last4]),
      ...(kind === 'movement' ? [] : [OF.receipt + facts.id.slice(-RECEIPT_END).toLowerCase()]),
      OF.kind + kindOf(kind, facts.state),
    ]),
  ].join(' ')
}

/**
 * A word of an item as the index is asked for it: whole where it is short or has a digit, as item numbers have; else
 * what begins with its first letters. Words hold letters and digits only, so that nothing in them means anything to the
 * syntax of the index.
 */
const itemWord = (_found: string, word: string): string =>
  word.length < SHORTEST_BEGINNING || /\p{N}/u.test(word)
    ? `"${OF.item}${word}"`
    : `"${OF.item}${word.slice(0, LONGEST_BEGINNING)}"*`

/** What the full-text index is asked for; null: every entry. `item`: what was typed, or what its barcode stands for. */
export function queryOfFilter({ receipt, item, amountCents, last4, person, kind }: JournalFilter): string | null {
  const items = item === undefined ? null : (queryOf(item, ITEM_WORDS)?.replaceAll(/"([^"]+)"\*/g, itemWord) ?? null)
  const exactly = (of: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`"${of}${value}"`]
  const asked = [
    ...exactly(OF.receipt, receipt?.slice(-RECEIPT_END).toLowerCase()),
    ...exactly(OF.last4, last4),
    ...exactly(OF.amount, amountCents),
    ...(items === null ? [] : [items]),
    ...exactly(OF.person, person),
    ...exactly(OF.kind, kind),
  ]
  return asked.length === 0 ? null : asked.join(' AND ')
}

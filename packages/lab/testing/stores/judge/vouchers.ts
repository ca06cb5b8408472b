import type { Books } from './books.ts'
import type { Find } from './finding.ts'
import type { PrintedDocument } from './documents.ts'
import { documentsOf } from './sales.ts'

type Move = Books['vouchers'][number]

/** Returns the change of a voucher’s balance; null for an unknown kind of movement. */
function effectOf({ kind, amountCents }: Move): number | null {
  switch (kind) {
    case 'issued':
    case 'given-back':
      return amountCents
    case 'redeemed':
      return -amountCents
    default:
      return null
  }
}

/**
 * Checks invariant 15: no voucher is spent beyond its issued and restored value at any moment. The lanes use the clock
 * of one machine; within a millisecond, credits are counted first.
 */
export function checkVouchers(books: Books, papers: readonly PrintedDocument[], find: Find): void {
  for (const [hash, moves] of Map.groupBy(books.vouchers, ({ codeHash }) => codeHash)) {
    const name = `voucher …${moves[0]?.last4 ?? ''} (${hash.slice(0, 8)})`
    const ordered = moves
      .map((move) => ({ at: move.at, cents: effectOf(move), kind: move.kind }))
      .toSorted((a, b) => a.at - b.at || (b.cents ?? 0) - (a.cents ?? 0))
    if (moves.filter(({ kind }) => kind === 'issued').length !== 1)
      find('voucher', `${name} was not issued exactly once`)
    let left = 0
    for (const { cents, kind } of ordered) {
      if (cents === null) find('voucher', `${name}: unknown kind ${kind}`)
      left += cents ?? 0
      if (left < 0) find('voucher', `${name} is overspent: ${left} cents are left`)
    }
  }
  checkPayments(books, find)
  checkDocuments(books, papers, find)
}

function checkPayments({ sales, vouchers }: Books, find: Find): void {
  const spent = new Map<string, number>()
  for (const move of vouchers)
    if (move.saleId !== null && move.kind !== 'issued')
      spent.set(move.saleId, (spent.get(move.saleId) ?? 0) - (effectOf(move) ?? 0))
  for (const { id, tenders } of sales) {
    const paid = tenders.reduce((sum, { voucherId, amountCents }) => sum + (voucherId === null ? 0 : amountCents), 0)
    if (paid !== (spent.get(id) ?? 0))
      find('voucher', `sale ${id}: vouchers paid ${paid} cents, but their entries have ${spent.get(id) ?? 0}`)
    spent.delete(id)
  }
  for (const [id, cents] of spent)
    if (cents !== 0) find('voucher', `${cents} cents of vouchers were spent in the unknown sale ${id}`)
}

function checkDocuments({ vouchers }: Books, papers: readonly PrintedDocument[], find: Find): void {
  const key = (lane: string, last4: string, cents: number): string => `lane ${lane}, …${last4}, ${cents} cents`
  const issued = vouchers.flatMap(({ kind, lane, last4, amountCents }) =>
    kind === 'issued' ? [key(lane, last4, amountCents)] : [],
  )
  const documents = documentsOf(papers, 'voucher')
  const originals = documents.filter(({ isCopy }) => !isCopy)
  for (const [code, { length }] of Map.groupBy(originals, (paper) => paper.code))
    if (length > 1) find('one-original', `voucher …${code.slice(-4)} has ${length} originals`)
  const printed = new Set(documents.map(({ lane, code, valueCents }) => key(lane, code.slice(-4), valueCents)))
  for (const one of issued) if (!printed.has(one)) find('voucher-printed', `${one}: issued, but not printed`)
  const known = new Set(issued)
  for (const one of printed) if (!known.has(one)) find('voucher-printed', `${one}: printed, but never issued`)
}

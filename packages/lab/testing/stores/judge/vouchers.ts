import type { Books } from './books.ts'
import type { Find } from './finding.ts'
import type { Paper } from './papers.ts'
import { papersOf } from './sales.ts'

type Move = Books['vouchers'][number]

/** What is left of a voucher after this: null where nobody knows what it does. */
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
 * Invariant 15: of each voucher no more is spent than was issued and given back, at any moment. The lanes of one
 * machine have one clock: of what happens in one millisecond, what came in is counted first.
 */
export function vouchersWrong(books: Books, papers: readonly Paper[], find: Find): void {
  for (const [hash, moves] of Map.groupBy(books.vouchers, ({ codeHash }) => codeHash)) {
    const name = `voucher …${moves[0]?.last4 ?? ''} (${hash.slice(0, 8)})`
    const ordered = moves
      .map((move) => ({ at: move.at, cents: effectOf(move), kind: move.kind }))
      .toSorted((a, b) => a.at - b.at || (b.cents ?? 0) - (a.cents ?? 0))
    if (moves.filter(({ kind }) => kind === 'issued').length !== 1) find('voucher', `${name} was not issued once`)
    let left = 0
    for (const { cents, kind } of ordered) {
      if (cents === null) find('voucher', `${name}: nobody knows what ${kind} does`)
      left += cents ?? 0
      if (left < 0) find('voucher', `${name} is overspent: ${left} cents are left`)
    }
  }
  paymentsWrong(books, find)
  documentsWrong(books, papers, find)
}

/** What sales say that vouchers paid, the vouchers say too. */
function paymentsWrong({ sales, vouchers }: Books, find: Find): void {
  const spent = new Map<string, number>()
  for (const move of vouchers)
    if (move.saleId !== null && move.kind !== 'issued')
      spent.set(move.saleId, (spent.get(move.saleId) ?? 0) - (effectOf(move) ?? 0))
  for (const { id, tenders } of sales) {
    const paid = tenders.reduce((sum, { voucherId, amountCents }) => sum + (voucherId === null ? 0 : amountCents), 0)
    if (paid !== (spent.get(id) ?? 0))
      find('voucher', `sale ${id}: vouchers paid ${paid} cents, and they say ${spent.get(id) ?? 0}`)
    spent.delete(id)
  }
  for (const [id, cents] of spent)
    if (cents !== 0) find('voucher', `${cents} cents of vouchers went into ${id}, which nobody knows`)
}

/** Each voucher has one original paper, and one that is worth what was issued, and each paper its voucher. */
function documentsWrong({ vouchers }: Books, papers: readonly Paper[], find: Find): void {
  const key = (lane: string, last4: string, cents: number): string => `lane ${lane}, …${last4}, ${cents} cents`
  const issued = vouchers.flatMap(({ kind, lane, last4, amountCents }) =>
    kind === 'issued' ? [key(lane, last4, amountCents)] : [],
  )
  const documents = papersOf(papers, 'voucher')
  const originals = documents.filter(({ isCopy }) => !isCopy)
  for (const [code, { length }] of Map.groupBy(originals, (paper) => paper.code))
    if (length > 1) find('paper-once', `voucher …${code.slice(-4)} has ${length} original papers`)
  const onPaper = new Set(documents.map(({ lane, code, valueCents }) => key(lane, code.slice(-4), valueCents)))
  for (const one of issued) if (!onPaper.has(one)) find('voucher-paper', `${one}: issued, and on no paper`)
  const known = new Set(issued)
  for (const one of onPaper) if (!known.has(one)) find('voucher-paper', `${one}: on paper, and never issued`)
}
